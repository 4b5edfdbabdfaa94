import { Button } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@latchkey/web/icons'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Draft } from '../../../live/outbox.ts'
import type { RoomState, RoomStore } from '../../../live/room-store.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'
import { ConversationStart, MessageSkeletons } from './conversation-start.tsx'
import { EventLine } from './event-line.tsx'
import { MessageRow } from './message-row.tsx'
import { DayLine, NewLine } from './separators.tsx'
import { UnsentRow } from './unsent-row.tsx'
import type { ConversationView } from './use-conversation.ts'
import { useListFocus } from './use-list-focus.ts'
import { useLongPress } from './use-long-press.ts'
import { rowOf } from './place.ts'

interface Props {
  room: Room
  user: User
  store: RoomStore
  view: ConversationView
  /** Moves an unsent message back to the field. */
  onEditUnsent: (draft: Draft) => void
}

/** The messages of a room, as far as they are in the page. */
export function MessageList({ room, user, store, view, onEditUnsent }: Props) {
  const { t } = useText()
  const state = useSyncExternalStore(store.watch, store.state)
  const { list, visible, distance, onScroll } = view
  const { messages, older, historyError, unread } = state
  const names = useNames(state)
  const isReading = older === undefined
  return (
    <>
      <a className="skip" href="#write">
        {t('room.skip')}
      </a>
      {view.hasNewAbove && <JumpToUnread onClick={view.goToNew} />}
      <div
        className="messages"
        ref={list}
        onScroll={onScroll}
        role="region"
        aria-label={t('room.messages')}
        aria-busy={isReading && historyError === null}
        tabIndex={messages.length === 0 ? 0 : -1}
      >
        {historyError !== null && (
          <ErrorNotice error={historyError} onRetry={() => void store.history.readOlder()} />
        )}
        {isReading && historyError === null && <MessageSkeletons label={t('room.waitToEnter')} />}
        <ConversationStart room={room} user={user} older={older} />
        <Rows view={view} state={state}>
          {visible.endsAtNewest &&
            state.unsent.map((unsent) => (
              <UnsentRow
                key={unsent.clientId}
                unsent={unsent}
                user={user}
                store={store}
                names={names}
                onEditUnsent={onEditUnsent}
              />
            ))}
        </Rows>
      </div>
      {(distance === 'far' || (distance === 'near' && unread > 0)) && (
        <JumpToNewest unread={unread} onClick={view.goToEnd} />
      )}
    </>
  )
}

function JumpToUnread({ onClick }: { onClick: () => void }) {
  const { t } = useText()
  const arrow = <IconArrowUp size={14} aria-hidden />
  return (
    <Button className="to-new" size="xs" variant="light" leftSection={arrow} onClick={onClick}>
      {t('room.newAbove')}
    </Button>
  )
}

/** Below the messages, not over them: it covers nothing that is being read. */
function JumpToNewest({ unread, onClick }: { unread: number; onClick: () => void }) {
  const { t } = useText()
  const arrow = <IconArrowDown size={14} aria-hidden />
  return (
    <Button className="to-newest" size="xs" variant="light" rightSection={arrow} onClick={onClick}>
      {unread > 0 ? t('room.unread', { count: unread }) : t('room.toNewest')}
    </Button>
  )
}

/** Names of the people who are present, by their ids. */
export function useNames({ present }: Pick<RoomState, 'present'>): ReadonlyMap<string, string> {
  return useMemo(() => new Map([...present].map(([id, { nickname }]) => [id, nickname])), [present])
}

interface RowsProps {
  view: ConversationView
  state: RoomState
  children: ReactNode
}

function Rows({ view, state, children }: RowsProps) {
  const { actions, editing, menuMessageId, targetId, visible } = view
  const newest = state.messages.at(-1)?.id
  const { tabStopId, focusedId, hoveredId, listProps } = useListFocus(newest)
  const pressProps = useLongPress((messageId) => {
    const message = state.messages.find(({ id }) => id === messageId)
    if (message && message.content !== null) actions.open({ kind: 'menu', message })
  })
  const items = useRef<HTMLOListElement>(null)
  useFocusBackToMessage(items, editing?.id ?? view.dialog?.message.id)
  return (
    <ol className="message-items" ref={items} {...listProps} {...pressProps}>
      {visible.rows.map((row) => {
        switch (row.type) {
          case 'day':
            return <DayLine key={row.key} rowKey={row.key} at={row.at} />
          case 'new':
            return <NewLine key={row.key} />
          case 'event':
            return <EventLine key={row.key} rowKey={row.key} event={row.event} />
          default:
            return (
              <MessageRow
                key={row.key}
                message={row.message}
                continues={row.continues}
                actions={actions}
                isTabStop={row.key === tabStopId}
                hasFocus={row.key === focusedId}
                isActive={row.key === focusedId || row.key === hoveredId || row.key === menuMessageId}
                isEditing={row.key === editing?.id}
                isTarget={row.key === targetId}
              />
            )
        }
      })}
      {children}
    </ol>
  )
}

/** Returns the focus to a message when its editor or a dialog about it has closed, unless it went elsewhere. */
function useFocusBackToMessage(items: RefObject<HTMLElement | null>, subjectId: string | undefined): void {
  const before = useRef(subjectId)
  useEffect(() => {
    const id = before.current
    before.current = subjectId
    if (id === undefined || subjectId !== undefined) return
    setTimeout(() => {
      if (document.activeElement === document.body && items.current)
        rowOf(items.current, id)?.focus({ preventScroll: true })
    })
  }, [items, subjectId])
}
