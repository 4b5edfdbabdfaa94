import { useEffect } from 'react'
import { live } from '../../../live/live.ts'
import type { RoomStore } from '../../../live/room-store.ts'

/** Minimum time between two marks, and about the most marks of a second by all people of a room. */
const MARK_EVERY_MS = 1_000
const MARKS_PER_SECOND = 80

/** Marks what the user sees as read (R30.1), until they mark it as unread in this tab or another. */
export function useReadMark(store: RoomStore): void {
  useEffect(() => {
    let seen = 0
    let marked = 0
    /** The mark as the server had it last. */
    let confirmed = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const mark = () => {
      clearTimeout(timer)
      timer = undefined
      if (seen <= marked || store.readMark.staysUnread) return
      marked = seen
      store.readMark.markRead(seen).then(
        (readSeq) => (confirmed = readSeq),
        // The next mark makes up for one that is lost.
        () => (marked = 0),
      )
    }
    const stop = store.watch(() => {
      seen = Math.max(seen, store.seenSeq())
      if (seen > marked) timer ??= setTimeout(mark, marked === 0 ? 0 : pauseMs(store.state().count))
    })
    // Pages of a large room wait long, and this one may be closed.
    document.addEventListener('visibilitychange', mark)
    const stopNotices = live.onNotice(({ notice, data }) => {
      if (notice !== 'read' || data['roomId'] !== store.roomId) return
      const readSeq = Number(data['readSeq'])
      if (readSeq < confirmed) store.readMark.keepUnread(readSeq + 1)
      confirmed = readSeq
    })
    return () => {
      stop()
      stopNotices()
      document.removeEventListener('visibilitychange', mark)
      mark()
    }
  }, [store])
}

/** The pages of a room, which receive a message at the same time, mark it at different times. */
function pauseMs(presentCount: number): number {
  return Math.max(MARK_EVERY_MS, (presentCount / MARKS_PER_SECOND) * 1_000 * (0.5 + Math.random()))
}
