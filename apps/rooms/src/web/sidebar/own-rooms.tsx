import { ActionIcon, Text } from '@mantine/core'
import { IconPencil, IconPlus } from '@latchkey/web/icons'
import { OnUse } from '@latchkey/web/shell/on-use'
import { type ReactNode, useId, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { NewDirect } from '../directs/new-direct-part.ts'
import type { Room } from '../live/frames.ts'
import { PresenceAvatar, StatusEmoji } from '../people/person-status.tsx'
import { usePerson } from '../people/use-people.ts'
import { RoomMark } from '../parts/room-mark.tsx'
import type { User } from '../session.ts'
import { useText } from '../texts/text.ts'
import { useRoomsWithDraft } from '../drafts.ts'
import { useDirects, useFollowedRooms } from './lobby.ts'
import { countNotifying } from '../../notifications/notifying.ts'
import { CallMark } from '../parts/call-mark.tsx'
import { UnreadCount } from './unread-count.tsx'

/**
 * The user's own rooms and direct conversations, in the navigation of every page, those with a star
 * first; and of other rooms the open one, and those of whose messages the user is notified.
 */
export function OwnRooms({ user }: { user: User }) {
  const { t } = useText()
  const [path] = useLocation()
  const directs = useDirects() ?? []
  const followed = useFollowedRooms() ?? []
  const drafts = useRoomsWithDraft()
  const rooms = followed.filter(
    (room) => room.role !== null || room.starred || path === addressOf(room) || countNotifying(room) > 0,
  )
  const starred = [...rooms, ...directs].filter(isStarred)
  const others = rooms.filter((room) => !isStarred(room))
  return (
    <>
      {starred.length > 0 && (
        <Section title={t('sidebar.starred')} rooms={starred} path={path} drafts={drafts} />
      )}
      {others.length > 0 && <Section title={t('sidebar.rooms')} rooms={others} path={path} drafts={drafts} />}
      {user.identityType === 'oauth' && (
        <Directs directs={directs.filter((direct) => !isStarred(direct))} path={path} drafts={drafts} />
      )}
    </>
  )
}

const isStarred = ({ starred }: Room) => starred

function Directs({
  directs,
  ...marks
}: Pick<SectionProps, 'path' | 'drafts'> & { directs: readonly Room[] }) {
  const { t } = useText()
  const [isWriting, setWriting] = useState(false)
  return (
    <Section title={t('sidebar.directs')} rooms={directs} {...marks}>
      <NewButton label={t('sidebar.newDirect')} onClick={() => setWriting(true)} />
      <OnUse isUsed={isWriting}>
        <NewDirect isOpen={isWriting} close={() => setWriting(false)} />
      </OnUse>
    </Section>
  )
}

/** Button beside a title. On a phone, the menu stays open below what it opens. */
function NewButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={24}
      className="own-rooms-new"
      aria-label={label}
      data-tooltip={label}
      onClick={(event) => {
        event.stopPropagation()
        onClick()
      }}
    >
      <IconPlus size={16} aria-hidden />
    </ActionIcon>
  )
}

interface SectionProps {
  title: string
  rooms: readonly Room[]
  path: string
  /** Ids of the rooms in which the user has begun to write. */
  drafts: ReadonlySet<string>
  /** Beside the title. */
  children?: ReactNode
}

function Section({ title, rooms, path, drafts, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <div className="own-rooms-title">
        <Text id={id} size="xs" c="dimmed" fw={500}>
          {title}
        </Text>
        {children}
      </div>
      <ul className="plain">
        {rooms.map((room) => (
          <OwnRoom
            key={room.id}
            room={room}
            isOpen={path === addressOf(room)}
            hasDraft={drafts.has(room.id)}
          />
        ))}
      </ul>
    </section>
  )
}

const addressOf = ({ id }: Room) => `/rooms/${id}`

function OwnRoom({ room, isOpen, hasDraft }: { room: Room; isOpen: boolean; hasDraft: boolean }) {
  const { t } = useText()
  const [of, another] = room.people ?? []
  const person = usePerson(another ? undefined : of?.id)
  return (
    <li>
      <Link href={addressOf(room)} className="own-room" aria-current={isOpen ? 'page' : undefined}>
        {!person && <RoomMark {...room} />}
        <bdi className="own-room-name">{room.name}</bdi>
        {/* Read out after the name. */}
        {person && <PresenceAvatar person={person} size={20} />}
        <StatusEmoji status={person?.status} />
        <CallMark room={room} />
        {hasDraft && !isOpen && <IconPencil size={14} role="img" aria-label={t('sidebar.draft')} />}
        {/* The messages of the open room are about to be read. */}
        {!isOpen && <UnreadCount room={room} />}
      </Link>
    </li>
  )
}
