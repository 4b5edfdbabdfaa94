import { Badge, Button, Group, Text } from '@mantine/core'
import { showSuccess } from '@latchkey/web/toast'
import { useState } from 'react'
import { type Result, call } from '../../call.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { LoadMore } from '../../parts/load-more.tsx'
import { LoadingOrError } from '../../parts/loading-or-error.tsx'
import { useDevice } from '../../parts/use-device.ts'
import { invalidate, usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import type { Person } from './person.ts'
import { AdminRefusal } from './refusal.tsx'

type Session = Result<'listUserSessions'>['sessions'][number]

/** Sessions of a user, with buttons to end one or all (R10.5). */
export function PersonSessions({ person: { id: userId, nickname: name } }: { person: Person }) {
  const { t } = useText()
  const { pages, error, retry, ...next } = usePages('admin', 'listUserSessions', { params: { userId } })
  const [isAsking, setAsking] = useState(false)
  if (!pages) return <LoadingOrError error={error} onRetry={retry} />
  const endAll = async () => {
    const { revoked } = await call('endUserSessions', { params: { userId } })
    showSuccess(t('admin.ended', { count: revoked }))
    await invalidate('admin')
  }
  const sessions = pages.flatMap((page) => page.sessions)
  return (
    <div style={{ paddingTop: 12 }}>
      {sessions.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('admin.noSessions')}
        </Text>
      )}
      <ul className="plain rows" aria-label={t('admin.sessionsOf', { name })}>
        {sessions.map((session) => (
          <Line key={session.id} session={session} name={name} />
        ))}
      </ul>
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
      {sessions.length > 0 && (
        <Button
          mt="sm"
          size="xs"
          variant="default"
          aria-label={t('admin.endAllOf', { name })}
          onClick={() => setAsking(true)}
        >
          {t('admin.endAll')}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={t('admin.endAllTitle', { name })}
          help={t('admin.endAllHelp')}
          button={t('admin.endAll')}
          act={endAll}
          onClose={() => setAsking(false)}
          renderError={(failed) => <AdminRefusal error={failed} />}
        />
      )}
    </div>
  )
}

function Line({ session, name }: { session: Session; name: string }) {
  const { t, moment } = useText()
  const [isAsking, setAsking] = useState(false)
  const device = useDevice(session.userAgent)
  const when = moment(session.lastSeenAt)
  const end = async () => {
    await call('endAnySession', { params: { id: session.id } })
    showSuccess(t('account.ended'))
    await invalidate('admin')
  }
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div style={{ minWidth: 0, flex: '1 1 200px' }}>
        <Group gap="xs">
          <Text size="sm" fw={500} className="wrap">
            {device}
          </Text>
          {session.current && (
            <Badge variant="light" size="sm" style={{ textTransform: 'none' }}>
              {t('account.thisSession')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed" className="wrap">
          {t('account.lastSeen', { when })} · {t('account.from', { address: session.addressPrefix })}
        </Text>
      </div>
      <Button
        variant="default"
        size="xs"
        aria-label={t('admin.endNamed', { name, device, when })}
        onClick={() => setAsking(true)}
      >
        {t('admin.end')}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t('admin.endTitle', { name })}
          help={t('admin.endHelp', { device, when })}
          button={t('admin.end')}
          act={end}
          onClose={() => setAsking(false)}
          renderError={(failed) => <AdminRefusal error={failed} />}
        />
      )}
    </Group>
  )
}
