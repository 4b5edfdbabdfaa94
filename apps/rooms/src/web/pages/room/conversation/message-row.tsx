import { ActionIcon, Badge, Group, Text, VisuallyHidden } from '@mantine/core'
import { IconTrash } from '@latchkey/web/icons'
import { memo } from 'react'
import { guestSince } from '../../../../guests/guest-id.ts'
import type { Message } from '../../../live/frames.ts'
import type { Unsent } from '../../../live/outbox.ts'
import { MessageText } from '../../../markdown/message-text.tsx'
import { UserAvatar, GuestBadge } from '../../../parts/person.tsx'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'

interface Props {
  message: Message
  /**
   * True directly below another message of the same author. Name and time are then visually hidden.
   */
  continues: boolean
  /**
   * Undefined if the user may not delete the message. A stable function: a new one would render
   * every line again with each message.
   */
  onDelete: ((message: Message) => void) | undefined
  /** True for the message that Tab reaches. The arrow keys lead to the others. */
  isTabStop: boolean
  /** True if the focus is in the message. Tab then reaches its links and its button. */
  hasFocus: boolean
}

export const MessageLine = memo(function MessageLine({ message, continues, onDelete, ...focus }: Props) {
  const { t, time } = useText()
  const { avatarColor, content, createdAt } = message
  const nickname = useNameOf(message)
  return (
    <li
      className={continues ? 'message continues' : 'message'}
      data-message={message.id}
      tabIndex={focus.isTabStop ? 0 : -1}
    >
      {!continues && <UserAvatar nickname={message.nickname} avatarColor={avatarColor} size={36} />}
      <div style={{ minWidth: 0, flex: 1 }}>
        {continues ? (
          <VisuallyHidden>
            {nickname} {time(createdAt)}
          </VisuallyHidden>
        ) : (
          <Byline message={message} />
        )}
        {content === null ? (
          <Text size="sm" c="dimmed" fs="italic">
            {t('room.deleted')}
          </Text>
        ) : (
          <div className="message-text" dir="auto">
            <MessageText
              content={content}
              names={NO_NAMES}
              selfId=""
              hasLinks={mayLink(message)}
              tabIndex={focus.hasFocus ? 0 : -1}
            />
          </div>
        )}
      </div>
      {onDelete && (
        <ActionIcon
          className="message-action"
          variant="default"
          size={28}
          tabIndex={focus.hasFocus ? 0 : -1}
          onClick={() => onDelete(message)}
          aria-label={t('room.deleteNamed', { name: nickname, when: time(createdAt) })}
        >
          <IconTrash size={16} />
        </ActionIcon>
      )}
    </li>
  )
})

/**
 * Name of the author. A deleted account is labelled as such, and the rest of its name distinguishes
 * it from others.
 */
function useNameOf({ userId, nickname }: Message): string {
  const { t } = useText()
  return userId === null ? t('person.gone', { name: nickname }) : nickname
}

function Byline({ message }: Pick<Props, 'message'>) {
  const { t, time, moment } = useText()
  const { guest, authorRole, createdAt } = message
  const nickname = useNameOf(message)
  return (
    <Group gap={6} align="baseline">
      <Text fw={500} className="wrap">
        <bdi>{nickname}</bdi>
      </Text>
      {guest && <GuestBadge />}
      {(authorRole === 'owner' || authorRole === 'moderator') && (
        <Badge size="sm" variant="light" style={{ textTransform: 'none' }}>
          {t(`room.role.${authorRole}`)}
        </Badge>
      )}
      <Text size="xs" c="dimmed" component="time" dateTime={createdAt} title={moment(createdAt)}>
        {time(createdAt)}
      </Text>
    </Group>
  )
}

const NO_NAMES: ReadonlyMap<string, string> = new Map()

/** Time within which a message continues the previous one of the same author. */
const CONTINUES_FOR_MS = 5 * 60_000

/** True if a message continues the one before it: same author, same name, and soon after it. */
export function continuesFrom(before: Message | undefined, message: Message): boolean {
  return (
    before !== undefined &&
    message.userId !== null &&
    before.userId === message.userId &&
    before.nickname === message.nickname &&
    Date.parse(message.createdAt) - Date.parse(before.createdAt) < CONTINUES_FOR_MS
  )
}

/**
 * Time after the arrival of a guest during which addresses in their messages are not links (R22).
 */
const LINKS_AFTER_MS = 5 * 60_000

function mayLink({ guest, userId, createdAt }: Message): boolean {
  const since = guestSince(userId ?? '')
  return !guest || (since !== undefined && Date.parse(createdAt) - since >= LINKS_AFTER_MS)
}

/** Message that the server has not stored yet. */
export function UnsentLine({ unsent, user }: { unsent: Unsent; user: User }) {
  const { t } = useText()
  return (
    <li className="message">
      <UserAvatar nickname={user.nickname} avatarColor={user.avatarColor} size={36} />
      <div style={{ minWidth: 0, flex: 1 }}>
        <Group gap={6} align="baseline">
          <Text fw={500} className="wrap">
            <bdi>{user.nickname}</bdi>
          </Text>
          <Text size="xs" c="dimmed">
            {t('room.sending')}
          </Text>
        </Group>
        <div className="message-text" dir="auto">
          <MessageText
            content={unsent.content}
            names={NO_NAMES}
            selfId={user.id}
            hasLinks={false}
            tabIndex={-1}
          />
        </div>
      </div>
    </li>
  )
}
