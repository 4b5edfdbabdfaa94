import { Skeleton, Title } from '@mantine/core'
import { live } from '../../../live/live.ts'
import { UserAvatar } from '../../../parts/person.tsx'
import { RoomMark } from '../../../parts/room-mark.tsx'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { InviteButton } from '../invite-button.tsx'
import { type Room, hasWholeHistory, keptDays } from '../room.ts'

const MAX_FACES = 5

interface Props {
  room: Room
  user: User
  /** Cursor of older messages. Null if there are none, undefined if nothing has been read. */
  older: string | null | undefined
}

/** Top of the messages: a place for older ones that can be read, or the beginning of the room. */
export function ConversationStart({ room, user, older }: Props) {
  const { t, list } = useText()
  if (older === undefined) return null
  // It is usually out of view, where an animation would still be drawn.
  if (older !== null) return <MessageSkeletons rows={2} isAnimated={false} label={t('page.loading')} />
  const isWhole = hasWholeHistory(room, user, live.serverNow())
  return (
    <div className="conversation-start">
      {room.people ? (
        <div className="conversation-start-faces" aria-hidden>
          {room.people.slice(0, MAX_FACES).map((person) => (
            <UserAvatar key={person.id} of={person} size={48} />
          ))}
        </div>
      ) : (
        <span className="conversation-start-mark" aria-hidden>
          <RoomMark {...room} size={24} />
        </span>
      )}
      <Title order={2} className="wrap">
        {room.people
          ? t('room.directStart', { room: list(room.people.map(({ nickname }) => nickname)) || room.name })
          : t('room.noMessages', { room: room.name })}
      </Title>
      {!isWhole && <p>{t('room.beginning')}</p>}
      {room.historyVisibility !== 'none' && <Retention room={room} />}
      {!room.people && <InviteButton room={room} user={user} mt="sm" />}
    </div>
  )
}

/** For how long messages are kept, and from when on that changes. */
function Retention({ room }: { room: Room }) {
  const { t, moment } = useText()
  const nowMs = live.serverNow()
  const days = keptDays(room, nowMs)
  const next = room.maxRetention
  return (
    <>
      {days < Infinity && <p>{t('room.kept', { count: days })}</p>}
      {next && Date.parse(next.from) > nowMs && (
        <p>{t('room.event.retention', { when: moment(next.from), count: next.days })}</p>
      )}
    </>
  )
}

interface SkeletonProps {
  rows?: number
  isAnimated?: boolean
  label: string
}

/** Places of messages that are being read. */
export function MessageSkeletons({ rows = 6, isAnimated = true, label }: SkeletonProps) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="message-skeleton">
          <Skeleton animate={isAnimated} circle height={36} />
          <div>
            <Skeleton animate={isAnimated} height={12} width={120} mb={8} />
            <Skeleton animate={isAnimated} height={12} width={`${80 - ((index * 23) % 50)}%`} />
          </div>
        </div>
      ))}
    </div>
  )
}
