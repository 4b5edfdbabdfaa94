import { ActionIcon, Anchor, Badge, Group, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { memo } from 'react'
import type { Message, Person } from '../../live/frames.ts'
import type { Unsent } from '../../live/outbox.ts'
import { Face, GuestMark } from '../../parts/person.tsx'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'

interface Props {
  message: Message
  /** Of the author, who may not be there. */
  role: Person['role'] | undefined
  /** Undefined for who may not; the same function each time, else every line is drawn anew with each message. */
  onDelete: ((message: Message) => void) | undefined
}

export const MessageLine = memo(function MessageLine({ message, role, onDelete }: Props) {
  const { say, time, moment } = useText()
  const { nickname, avatarColor, guest, content, createdAt } = message
  const isLeading = role === 'owner' || role === 'moderator'
  return (
    <li className="message">
      <Face nickname={nickname} avatarColor={avatarColor} size={32} />
      <div style={{ minWidth: 0, flex: 1 }}>
        <Group gap={6} align="baseline">
          <Text fw={600} size="sm" className="wrap">
            <bdi>{nickname}</bdi>
          </Text>
          {guest && <GuestMark />}
          {isLeading && (
            <Badge size="sm" variant="light" style={{ textTransform: 'none' }}>
              {say(`room.role.${role}`)}
            </Badge>
          )}
          <Text size="xs" c="dimmed" component="time" dateTime={createdAt} title={moment(createdAt)}>
            {time(createdAt)}
          </Text>
        </Group>
        {content === null ? (
          <Text size="sm" c="dimmed" fs="italic">
            {say('room.deleted')}
          </Text>
        ) : (
          <Text size="sm" className="said" component="div">
            {/* A guest's links lead nobody anywhere (R22). */}
            {guest ? content : <WithLinks text={content} />}
          </Text>
        )}
      </div>
      {onDelete && (
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={() => onDelete(message)}
          aria-label={say('room.deleteNamed', { name: nickname, when: time(createdAt) })}
        >
          <IconTrash size={16} />
        </ActionIcon>
      )}
    </li>
  )
})

const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])/i

function WithLinks({ text }: { text: string }) {
  return text.split(ADDRESS).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the parts of one text never move.
      <Anchor
        key={index}
        href={part}
        target="_blank"
        rel="noopener noreferrer nofollow ugc"
        inherit
        underline="always"
      >
        {part}
      </Anchor>
    ),
  )
}

/** Shown before the server has it. */
export function UnsentLine({ unsent, user }: { unsent: Unsent; user: User }) {
  const { say } = useText()
  return (
    <li className="message">
      <Face nickname={user.nickname} avatarColor={user.avatarColor} size={32} />
      <div style={{ minWidth: 0, flex: 1 }}>
        <Group gap={6} align="baseline">
          <Text fw={600} size="sm" className="wrap">
            <bdi>{user.nickname}</bdi>
          </Text>
          <Text size="xs" c="dimmed">
            {say('room.sending')}
          </Text>
        </Group>
        <Text size="sm" className="said" component="div">
          {unsent.content}
        </Text>
      </div>
    </li>
  )
}
