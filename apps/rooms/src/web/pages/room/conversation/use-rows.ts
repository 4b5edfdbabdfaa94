import { useMemo, useRef, useState } from 'react'
import type { RoomState, RoomStore } from '../../../live/room-store.ts'
import { MAX_ROWS, NEWEST, extendDown, extendUp, rangeOf, windowAround } from './row-window.ts'
import { type Row, rowsOf } from './rows.ts'

export interface VisibleRows {
  /** The rows in the page. */
  rows: readonly Row[]
  /** True if the line above the first new message is known, in the page or not. */
  isNewKnown: boolean
  /** True if the newest row of the room is among them. */
  endsAtNewest: boolean
  /** Adds rows above those in the page, and reads them if necessary. Returns false if there are none. */
  extendUp: () => boolean
  extendDown: () => void
  /** Moves to the newest rows. */
  showNewest: () => void
  /** Moves to this row, which must be known. */
  showAround: (key: string) => void
}

/** The rows of the conversation, of which only some are in the page. `followsEnd` returns whether the newest must be. */
export function useRows(store: RoomStore, state: RoomState, followsEnd: () => boolean): VisibleRows {
  const { messages, events, unreadFrom, older, newer, historyError } = state
  const hasOlder = older !== null
  const all = useMemo(
    () => rowsOf({ messages, events, unreadFrom, hasOlder }),
    [messages, events, unreadFrom, hasOlder],
  )
  const [stored, setWindow] = useState(NEWEST)
  const isCut = rangeOf(all, stored).end < all.length || all.length - rangeOf(all, stored).start > MAX_ROWS
  const range = rangeOf(all, isCut && followsEnd() ? NEWEST : stored)
  const { start, end } = range
  const rows = useMemo(() => all.slice(start, end), [all, start, end])
  /** Cursor of the page that was read last. It is not read twice, however much the user scrolls. */
  const requested = useRef('')
  const once = (cursor: string, read: () => Promise<void>) => {
    if (requested.current === cursor) return
    requested.current = cursor
    void read().finally(() => (requested.current = ''))
  }
  return {
    rows,
    isNewKnown: all.some(({ type }) => type === 'new'),
    endsAtNewest: end === all.length && newer === null,
    extendUp() {
      if (start > 0) setWindow(extendUp(all, range))
      // After a failure, only the user tries again.
      else if (typeof older === 'string' && historyError === null)
        once(older, () => store.history.readOlder())
      else return false
      return true
    },
    extendDown() {
      if (end < all.length) setWindow(extendDown(all, range))
      else if (newer !== null) once(newer, () => store.history.readNewer())
    },
    showNewest() {
      setWindow(NEWEST)
      void store.history.readEnd()
    },
    showAround: (key) => setWindow(windowAround(all, key)),
  }
}
