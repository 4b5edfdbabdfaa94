import { useEffect, useRef } from 'react'
import { type DraftField, type DraftSync, startDraftSync } from './draft-sync.ts'

/** Keeps what is written equal in all tabs and devices of the user. */
export function useDraftSync(roomId: string, field: DraftField): void {
  const latest = useRef(field)
  const sync = useRef<DraftSync>(null)
  latest.current = field
  useEffect(() => {
    const started = startDraftSync(roomId, () => latest.current)
    sync.current = started
    return () => started.stop()
  }, [roomId])
  useEffect(() => sync.current?.change(), [field.content])
}
