import { useEffect } from 'react'
import { live } from '../../../live/live.ts'
import type { RoomStore } from '../../../live/room-store.ts'

/** Minimum time between two marks. */
const MARK_EVERY_MS = 1_000

/** Marks what the user sees as read (R30.1), until they mark it as unread in this tab or another. */
export function useReadMark(store: RoomStore): void {
  useEffect(() => {
    let marked = 0
    /** The mark as the server had it last. */
    let confirmed = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const mark = () => {
      timer = undefined
      const seq = store.seenSeq()
      if (seq <= marked) return
      marked = seq
      store.readMark.markRead(seq).then(
        (readSeq) => (confirmed = readSeq),
        // The next mark makes up for one that is lost.
        () => (marked = 0),
      )
    }
    const stop = store.watch(() => {
      if (store.seenSeq() > marked) timer ??= setTimeout(mark, marked === 0 ? 0 : MARK_EVERY_MS)
    })
    const stopNotices = live.onNotice(({ notice, data }) => {
      if (notice !== 'read' || data['roomId'] !== store.roomId) return
      const readSeq = Number(data['readSeq'])
      if (readSeq < confirmed) store.readMark.keepUnread(readSeq + 1)
      confirmed = readSeq
    })
    return () => {
      stop()
      stopNotices()
      if (timer === undefined) return
      clearTimeout(timer)
      mark()
    }
  }, [store])
}
