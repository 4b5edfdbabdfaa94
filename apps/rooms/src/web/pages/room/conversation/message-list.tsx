import { Button, Center, Divider, Loader, Stack, Text } from '@mantine/core'
import { IconArrowDown } from '@latchkey/web/icons'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import {
  type RefObject,
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Message } from '../../../live/frames.ts'
import type { RoomState, RoomStore } from '../../../live/room-store.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { useMessageFocus } from './message-focus.ts'
import { DeleteMessage } from './delete-message.tsx'
import { MessageLine, UnsentLine, continuesFrom } from './message-row.tsx'
import { type Room, hasWholeHistory, rightsIn } from '../room.ts'

/** Distance from the end within which the newest message counts as seen. */
const NEAR_PX = 48

interface Props {
  room: Room
  user: User
  store: RoomStore
  isEntering: boolean
}

export function Messages({ room, user, store, isEntering }: Props) {
  const { t } = useText()
  const state = useSyncExternalStore(store.watch, store.state)
  const [messageToDelete, setMessageToDelete] = useState<Message | null>(null)
  const { ref, onScroll, isAway, goToEnd } = useScrollPosition(store, state)
  const { messages, older, historyError, unsent, unread } = state
  const isEmpty = older === null && messages.length === 0 && unsent.length === 0
  return (
    <>
      <a className="skip" href="#write">
        {t('room.skip')}
      </a>
      <div
        className="messages"
        ref={ref}
        onScroll={onScroll}
        role="region"
        aria-label={t('room.messages')}
        tabIndex={messages.length === 0 ? 0 : -1}
      >
        {isEntering && older === undefined && !historyError && (
          <Center p="xl">
            <Loader size="sm" aria-label={t('room.waitToEnter')} />
          </Center>
        )}
        {historyError !== null && (
          <ErrorNotice error={historyError} onRetry={() => void store.history.readOlder()} />
        )}
        <Beginning
          list={ref}
          store={store}
          state={state}
          roomName={isEmpty || hasWholeHistory(room, user, Date.now()) ? room.name : undefined}
        />
        <MessageItems room={room} user={user} state={state} onDelete={setMessageToDelete} />
        {messageToDelete && (
          <DeleteMessage
            message={messageToDelete}
            onClose={() => setMessageToDelete(null)}
            onDeleted={() => ref.current?.focus({ preventScroll: true })}
          />
        )}
      </div>
      {isAway && unread > 0 && <UnreadButton count={unread} onPress={goToEnd} />}
    </>
  )
}

interface MessageItemsProps {
  room: Room
  user: User
  state: RoomState
  onDelete: (message: Message) => void
}

function MessageItems({ room, user, state, onDelete }: MessageItemsProps) {
  const { messages, unsent } = state
  const { tabStopId, focusedId, listProps } = useMessageFocus(messages)
  const mayDeleteAny = rightsIn(room, user)('delete_any_message')
  return (
    <ol className="message-items" {...listProps}>
      {messages.map((message, index) => (
        <MessageRow
          key={message.id}
          message={message}
          before={messages[index - 1]}
          newMark={newMarkAbove(message, messages[index - 1], state)}
          isTabStop={message.id === tabStopId}
          hasFocus={message.id === focusedId}
          onDelete={
            message.content !== null && (mayDeleteAny || message.userId === user.id) ? onDelete : undefined
          }
        />
      ))}
      {unsent.map((each) =>
        each.problem ? null : <UnsentLine key={each.clientId} unsent={each} user={user} />,
      )}
    </ol>
  )
}

/** Below the messages, not over them: it covers nothing that is being read. */
function UnreadButton({ count, onPress }: { count: number; onPress: () => void }) {
  const { t } = useText()
  return (
    <Button
      size="xs"
      variant="light"
      mt="xs"
      flex="none"
      style={{ alignSelf: 'center' }}
      rightSection={<IconArrowDown size={14} aria-hidden />}
      onClick={onPress}
    >
      {t('room.unread', { count })}
    </Button>
  )
}

interface MessageRowProps {
  message: Message
  before: Message | undefined
  newMark: NewMark | undefined
  isTabStop: boolean
  hasFocus: boolean
  onDelete: ((message: Message) => void) | undefined
}

/**
 * A message with its separators. It renders again only when it changes, not with each new message.
 */
const MessageRow = memo(function MessageRow({ message, before, newMark, ...line }: MessageRowProps) {
  const { day } = useText()
  const isNewDay = before === undefined || day(before.createdAt) !== day(message.createdAt)
  return (
    <>
      <Separators at={message.createdAt} isNewDay={isNewDay} newMark={newMark} />
      <MessageLine
        message={message}
        continues={!isNewDay && !newMark && continuesFrom(before, message)}
        {...line}
      />
    </>
  )
})

interface BeginningProps {
  list: RefObject<HTMLDivElement | null>
  store: RoomStore
  state: RoomState
  /** The name of the room if its first message is the first that the user may read. */
  roomName: string | undefined
}

function Beginning({ list, store, state, roomName }: BeginningProps) {
  const { t } = useText()
  const [isReading, setReading] = useState(false)
  useEffect(() => {
    if (!isReading) return undefined
    // The button loses the focus while it waits, and disappears if there are no older messages.
    return () => {
      if (document.activeElement === document.body) list.current?.focus({ preventScroll: true })
    }
  }, [isReading, list])
  if (state.older === undefined) return null
  const read = async () => {
    setReading(true)
    await store.history.readOlder()
    setReading(false)
  }
  return (
    <Stack align="center" p="sm" gap="xs">
      {state.older !== null && (
        <Button variant="default" size="xs" loading={isReading} onClick={() => void read()}>
          {t('room.older')}
        </Button>
      )}
      {state.older === null && (
        <Text size="sm" c="dimmed" ta="center" maw="100%" className="wrap">
          {roomName === undefined ? t('room.beginning') : t('room.noMessages', { room: roomName })}
        </Text>
      )}
    </Stack>
  )
}

type NewMark = 'room.new' | 'room.newAbove'

/**
 * Label above a message: first new message or, if that message was dropped, more new messages
 * before it.
 */
function newMarkAbove(
  { seq }: Message,
  before: Message | undefined,
  { unreadFrom, older }: RoomState,
): NewMark | undefined {
  if (unreadFrom === null || seq < unreadFrom || (before && before.seq >= unreadFrom)) return undefined
  return !before && older !== null && seq > unreadFrom ? 'room.newAbove' : 'room.new'
}

interface SeparatorsProps {
  at: string
  isNewDay: boolean
  newMark: NewMark | undefined
}

/** Separators at the beginning of a day and of new messages. */
const Separators = memo(function Separators({ at, isNewDay, newMark }: SeparatorsProps) {
  const { t, day } = useText()
  const styles = { label: { color: 'var(--mantine-color-dimmed)' } }
  return (
    <>
      {isNewDay && (
        <li>
          <Divider my="xs" label={day(at)} styles={styles} />
        </li>
      )}
      {newMark && (
        <li>
          <Divider my="xs" color="red" label={<strong>{t(newMark)}</strong>} styles={styles} />
        </li>
      )}
    </>
  )
})

/**
 * Keeps the scroll position: at the end if the user is there, otherwise at the message on display.
 */
function useScrollPosition(store: RoomStore, { messages, unsent }: RoomState) {
  const ref = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const [isAway, setAway] = useState(false)
  const last = useRef({ firstId: '', height: 0, unsent: 0 })
  /** Size of the list at the last known scroll position. */
  const size = useRef('')
  const toEnd = (list: HTMLDivElement) => {
    list.scrollTop = list.scrollHeight
    size.current = sizeOf(list)
  }
  const attend = () => store.setAttention(isAtEnd.current && !document.hidden, isAtEnd.current)
  useEffect(() => {
    const onChange = () => store.setAttention(isAtEnd.current && !document.hidden, isAtEnd.current)
    document.addEventListener('visibilitychange', onChange)
    onChange()
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [store])
  useLayoutEffect(() => {
    const list = ref.current
    if (!list) return
    const firstId = messages[0]?.id ?? ''
    const grewAbove = last.current.firstId !== '' && last.current.firstId !== firstId
    // Authors see their own message.
    if (unsent.length > last.current.unsent) isAtEnd.current = true
    if (isAtEnd.current) toEnd(list)
    else if (grewAbove) list.scrollTop += list.scrollHeight - last.current.height
    last.current = { firstId, height: list.scrollHeight, unsent: unsent.length }
  }, [messages, unsent])
  // A keyboard on the screen, a longer draft or a rotated phone changes the height of the list. Its
  // end stays visible.
  useEffect(() => {
    const list = ref.current
    const observer = new ResizeObserver(() => {
      if (list && isAtEnd.current) toEnd(list)
    })
    if (list) observer.observe(list)
    return () => observer.disconnect()
  }, [])
  const onScroll = () => {
    const list = ref.current
    if (!list) return
    // The list was scrolled by a change of its size, not by the user.
    if (isAtEnd.current && size.current !== sizeOf(list)) return toEnd(list)
    size.current = sizeOf(list)
    isAtEnd.current = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_PX
    setAway(!isAtEnd.current)
    attend()
  }
  const goToEnd = () => {
    ref.current?.scrollTo(0, ref.current.scrollHeight)
    // The button disappears together with its focus.
    ref.current?.focus({ preventScroll: true })
  }
  return { ref, onScroll, isAway, goToEnd }
}

const sizeOf = (list: HTMLDivElement) => `${list.scrollHeight} ${list.clientHeight}`
