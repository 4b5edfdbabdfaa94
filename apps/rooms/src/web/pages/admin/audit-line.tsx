import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { isAuditAction } from '../../../audit/actions.ts'
import type { Result } from '../../call.ts'
import { isKey, useText } from '../../texts/text.ts'

type Event = Result<'listAuditEvents'>['events'][number]
type Names = Readonly<Record<string, string>>

/** An entry of the audit log: a sentence with names, and the recorded data. */
export function EventLine({ event, names }: { event: Event; names: Names }) {
  const { t, moment, ago } = useText()
  const { action, actorUserId, targetType, targetId, clientIp, metadata } = event
  const data = { ...metadata, actor: actorUserId, [targetType ?? 'target']: targetId }
  return (
    <Stack component="li" gap={2} className="event">
      <Text size="sm" className="wrap">
        <Sentence event={event} names={names} />
      </Text>
      <Text size="sm" c="dimmed" className="wrap">
        <time dateTime={event.createdAt} title={moment(event.createdAt)}>
          {ago(event.createdAt)}
        </time>
        {clientIp !== null && ` · ${t('account.from', { address: clientIp })}`}
      </Text>
      <details>
        <Text component="summary" size="sm" c="dimmed">
          {t('audit.details')}
        </Text>
        <Text size="sm" c="dimmed" className="wrap">
          {moment(event.createdAt)} · <code>{action}</code>
        </Text>
        {Object.entries(data).map(([name, value]) =>
          value === null ? null : (
            <Text key={name} size="sm" c="dimmed" ff="monospace" className="wrap">
              {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
            </Text>
          ),
        )}
      </details>
    </Stack>
  )
}

const ROLES = ['actor', 'person', 'room'] as const
/** Marks the place of a name in a sentence. */
const MARK = '\uffff'

/** Who did what, with links to the people and rooms. */
function Sentence({ event, names }: { event: Event; names: Names }) {
  const { t } = useText()
  const { action, actorUserId } = event
  const ids = { actor: actorUserId, person: personOf(event), room: roomOf(event) }
  // What the service did by itself is described by the person concerned.
  const key = actorUserId === null ? `auto.${action}` : `did.${action}`
  if (!isKey(key) || (ids.actor ?? ids.person) === null)
    return isAuditAction(action) ? t(`audit.${action}`) : action
  const marks = Object.fromEntries(ROLES.map((role) => [role, `${MARK}${role}${MARK}`]))
  return t(key, marks)
    .split(MARK)
    .map((part, index) => {
      const role = ROLES.find((name) => name === part)
      if (index % 2 === 0 || !role) return part
      // oxlint-disable-next-line react/no-array-index-key -- the parts of a sentence never move.
      return <Name key={index} isRoom={role === 'room'} id={ids[role]} names={names} event={event} />
    })
}

/** Whom an action concerned. */
function personOf({ metadata, targetType, targetId }: Event): string | null {
  const { userId, authorUserId, to } = metadata
  const id = userId ?? authorUserId ?? to ?? (targetType === 'user' ? targetId : null)
  return typeof id === 'string' ? id : null
}

function roomOf({ targetType, targetId }: Event): string | null {
  return targetType === 'room' ? targetId : null
}

interface NameProps {
  id: string | null
  isRoom: boolean
  names: Names
  event: Event
}

function Name({ id, isRoom, names, event: { metadata } }: NameProps) {
  const { t } = useText()
  const name = names[id ?? '']
  if (id === null || name === undefined) {
    // The name of a deleted room is in the entry of its deletion.
    const last = isRoom && typeof metadata['name'] === 'string' ? metadata['name'] : undefined
    return <bdi>{last ?? t(isRoom ? 'audit.deletedRoom' : 'audit.deletedPerson')}</bdi>
  }
  const query = new URLSearchParams({ ...(isRoom && { part: 'rooms' }), q: id })
  return (
    <Anchor component={Link} href={`/admin?${query}`} inherit fw={500} underline="hover">
      <bdi>{name}</bdi>
    </Anchor>
  )
}
