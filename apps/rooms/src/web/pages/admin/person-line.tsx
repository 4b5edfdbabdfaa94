import { Anchor, Badge, Button, Group, Text } from '@mantine/core'
import { useId, useState } from 'react'
import { Link } from 'wouter'
import { UserAvatar, GuestBadge } from '../../parts/person.tsx'
import { useText } from '../../texts/text.ts'
import type { Person } from './person.ts'
import { PersonActions } from './person-acts.tsx'
import { PersonSessions } from './person-sessions.tsx'

export function PersonLine({ person }: { person: Person }) {
  const { t, moment } = useText()
  const [isOpen, setOpen] = useState(false)
  const sessionsId = useId()
  const { id, nickname: name, email } = person
  return (
    <li>
      <Group align="flex-start" justify="space-between" gap="sm">
        <Group gap="sm" wrap="nowrap" align="flex-start" style={{ flex: '1 1 240px', minWidth: 0 }}>
          <UserAvatar of={{ ...person, nickname: name }} size={36} />
          <div style={{ minWidth: 0 }}>
            <Group gap="xs">
              <Text fw={500} className="wrap">
                {name}
              </Text>
              <Marks person={person} />
            </Group>
            {email !== null && (
              <Text size="sm" className="wrap">
                {email}
              </Text>
            )}
            <Text size="sm" c="dimmed">
              {t('admin.since', { when: moment(person.createdAt) })} ·{' '}
              {t('admin.seen', { when: moment(person.lastSeenAt) })}
            </Text>
            <Rights person={person} />
          </div>
        </Group>
        <Group gap="sm">
          <Anchor
            component={Link}
            href={`/admin?part=audit&actorUserId=${id}`}
            size="sm"
            aria-label={t('admin.didNamed', { name })}
          >
            {t('admin.did')}
          </Anchor>
          <Button
            variant="default"
            size="xs"
            aria-expanded={isOpen}
            aria-controls={isOpen ? sessionsId : undefined}
            aria-label={t('admin.sessionsOf', { name })}
            onClick={() => setOpen(!isOpen)}
          >
            {t('admin.sessions')}
          </Button>
          <PersonActions person={person} />
        </Group>
      </Group>
      {isOpen && (
        <div id={sessionsId}>
          <PersonSessions person={person} />
        </div>
      )}
    </li>
  )
}

function Marks({ person: { identityType, disabled, roleSources } }: { person: Person }) {
  const { t } = useText()
  const isAdmin = roleSources.some(({ role }) => role === 'platform_admin')
  return (
    <>
      {identityType === 'guest' && <GuestBadge />}
      {isAdmin && (
        <Badge variant="light" size="sm" flex="none" style={{ textTransform: 'none' }}>
          {t('admin.admin')}
        </Badge>
      )}
      {disabled && (
        <Badge variant="default" size="sm" flex="none" style={{ textTransform: 'none' }}>
          {t('admin.disabled')}
        </Badge>
      )}
    </>
  )
}

/** Rights of a user with their sources (R9.1). */
function Rights({ person: { roleSources } }: { person: Person }) {
  const { t } = useText()
  return roleSources.map(({ role, scopeId, source }) => (
    <Text key={`${role} ${scopeId} ${source}`} size="sm" c="dimmed" className="wrap">
      {role === 'platform_admin' ? t(`admin.right.${source}`) : t('admin.right.team', { team: scopeId })}
    </Text>
  ))
}
