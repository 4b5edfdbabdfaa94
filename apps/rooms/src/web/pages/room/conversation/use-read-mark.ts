import { useEffect } from 'react'
import { call } from '../../../call.ts'
import type { RoomStore } from '../../../live/room-store.ts'

/** Minimum time between two marks. */
const MARK_EVERY_MS = 1_000

/** Marks what the user sees as read (R30.1). */
export function useReadMark(store: RoomStore): void {
  useEffect(() => {
    let marked = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const mark = () => {
      timer = undefined
      const seq = store.seenSeq()
      if (seq <= marked) return
      marked = seq
      // The next mark makes up for one that is lost.
      call('markRoomRead', { params: { id: store.roomId }, body: { seq } }).catch(() => (marked = 0))
    }
    const stop = store.watch(() => {
      if (store.seenSeq() > marked) timer ??= setTimeout(mark, marked === 0 ? 0 : MARK_EVERY_MS)
    })
    return () => {
      stop()
      if (timer === undefined) return
      clearTimeout(timer)
      mark()
    }
  }, [store])
}
