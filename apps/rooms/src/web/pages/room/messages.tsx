import { Button, Center, Divider, Loader, Stack, Text } from '@mantine/core'
import { Failed } from '@latchkey/web/shell/boundary'
import {
  type RefObject,
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Message, Person } from '../../live/frames.ts'
import type { RoomState, RoomStore } from '../../live/room-store.ts'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { DeleteMessage } from './delete-message.tsx'
import { MessageLine, UnsentLine, continuesFrom } from './message-line.tsx'
import { type Room, rightsIn } from './room.ts'

/** So near to its end somebody sees the newest message. */
const NEAR_PX = 48

interface Props {
  room: Room
  user: User
  store: RoomStore
  isComing: boolean
}

export function Messages({ room, user, store, isComing }: Props) {
  const { say } = useText()
  const state = useSyncExternalStore(store.watch, store.state)
  const [doomed, setDoomed] = useState<Message | null>(null)
  const { ref, onScroll } = useReading(store, state)
  const { messages, older, historyError, unsent } = state
  const mayDeleteAny = rightsIn(room, user)('delete_any_message')
  const isEmpty = older === null && messages.length === 0 && unsent.length === 0
  return (
    <div
      className="messages"
      ref={ref}
      onScroll={onScroll}
      role="region"
      aria-label={say('room.messages')}
      tabIndex={0}
    >
      {isComing && older === undefined && !historyError && (
        <Center p="xl">
          <Loader size="sm" aria-label={say('room.waitToEnter')} />
        </Center>
      )}
      {historyError !== null && <Failed error={historyError} onRetry={() => void store.readOlder()} />}
      <Beginning store={store} state={state} isEmpty={isEmpty} />
      <ol className="plain">
        {messages.map((message, index) => (
          <Said
            key={message.id}
            message={message}
            before={messages[index - 1]}
            unreadFrom={state.unreadFrom}
            role={state.present.get(message.userId ?? '')?.role}
            onDelete={
              message.content !== null && (mayDeleteAny || message.userId === user.id) ? setDoomed : undefined
            }
          />
        ))}
        {unsent.map((each) =>
          each.problem ? null : <UnsentLine key={each.clientId} unsent={each} user={user} />,
        )}
      </ol>
      {doomed && <DeleteMessage message={doomed} onClose={() => setDoomed(null)} />}
    </div>
  )
}

interface SaidProps {
  message: Message
  before: Message | undefined
  unreadFrom: number | null
  role: Person['role'] | undefined
  onDelete: ((message: Message) => void) | undefined
}

/** A message, below what begins with it; drawn anew only when something of it changes, not with each message. */
const Said = memo(function Said({ message, before, unreadFrom, role, onDelete }: SaidProps) {
  const { day } = useText()
  const isFirstNew = isFirstFrom(unreadFrom, message, before)
  const isNewDay = before === undefined || day(before.createdAt) !== day(message.createdAt)
  return (
    <>
      <Marks at={message.createdAt} isNewDay={isNewDay} isFirstNew={isFirstNew} />
      <MessageLine
        message={message}
        role={role}
        continues={!isNewDay && !isFirstNew && continuesFrom(before, message)}
        onDelete={onDelete}
      />
    </>
  )
})

function Beginning({ store, state, isEmpty }: { store: RoomStore; state: RoomState; isEmpty: boolean }) {
  const { say } = useText()
  const [isReading, setReading] = useState(false)
  if (state.older === undefined) return null
  const read = async () => {
    setReading(true)
    await store.readOlder()
    setReading(false)
  }
  return (
    <Stack align="center" p="sm" gap="xs">
      {state.older !== null && (
        <Button variant="default" size="xs" loading={isReading} onClick={() => void read()}>
          {say('room.older')}
        </Button>
      )}
      {state.older === null && (
        <Text size="sm" c="dimmed" ta="center">
          {say(isEmpty ? 'room.noMessages' : 'room.beginning')}
        </Text>
      )}
    </Stack>
  )
}

function isFirstFrom(seq: number | null, message: Message, before: Message | undefined): boolean {
  return seq !== null && message.seq >= seq && (before?.seq ?? 0) < seq
}

interface MarksProps {
  at: string
  isNewDay: boolean
  isFirstNew: boolean
}

/** Where a day begins, and where what is new begins. */
const Marks = memo(function Marks({ at, isNewDay, isFirstNew }: MarksProps) {
  const { say, day } = useText()
  const styles = { label: { color: 'var(--mantine-color-dimmed)' } }
  return (
    <>
      {isNewDay && (
        <li>
          <Divider my="xs" label={day(at)} styles={styles} />
        </li>
      )}
      {isFirstNew && (
        <li>
          <Divider my="xs" color="red" label={<strong>{say('room.new')}</strong>} styles={styles} />
        </li>
      )}
    </>
  )
})

/** Stays at the end for who reads there, and at the same message for who reads older ones. */
function useReading(store: RoomStore, { messages, unsent }: RoomState) {
  const ref = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const last = useRef({ firstId: '', height: 0 })
  const attend = () => store.attend(isAtEnd.current && !document.hidden)
  useEffect(() => {
    const onChange = () => store.attend(isAtEnd.current && !document.hidden)
    document.addEventListener('visibilitychange', onChange)
    onChange()
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [store])
  useLayoutEffect(() => {
    const list = ref.current
    if (!list) return
    const firstId = messages[0]?.id ?? ''
    const grewAbove = last.current.firstId !== '' && last.current.firstId !== firstId
    if (isAtEnd.current) list.scrollTop = list.scrollHeight
    else if (grewAbove) list.scrollTop += list.scrollHeight - last.current.height
    last.current = { firstId, height: list.scrollHeight }
  }, [messages, unsent])
  useStayingAtEnd(ref, isAtEnd)
  const onScroll = () => {
    const list = ref.current
    if (!list) return
    isAtEnd.current = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_PX
    attend()
  }
  return { ref, onScroll }
}

/** A keyboard on the screen, or a longer draft, leaves less room: the end stays in sight. */
function useStayingAtEnd(ref: RefObject<HTMLDivElement | null>, isAtEnd: RefObject<boolean>): void {
  useEffect(() => {
    const list = ref.current
    const watching = new ResizeObserver(() => {
      if (list && isAtEnd.current) list.scrollTop = list.scrollHeight
    })
    if (list) watching.observe(list)
    return () => watching.disconnect()
  }, [ref, isAtEnd])
}
