import { showError } from '@latchkey/web/toast'
import { useCallback, useSyncExternalStore } from 'react'
import { live } from '../../../live/live.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import { useText } from '../../../texts/text.ts'

export type ComposerFiles = ReturnType<typeof useFiles>

/** The files for the next message, and how they are added. */
export function useFiles(store: RoomStore) {
  const { t } = useText()
  // Follows this value only: typing must not depend on the number of messages.
  const uploads = useSyncExternalStore(store.watch, () => store.state().uploads)
  const mayAdd = useSyncExternalStore(live.watch, () => live.fileBytes > 0 && live.filesPerMessage > 0)
  /** Adds as many of these files as a message may have. */
  const add = useCallback(
    (files: readonly File[]) => {
      const count = Math.max(0, live.filesPerMessage - store.state().uploads.length)
      if (files.length > count) showError(t('room.tooManyFiles', { count: live.filesPerMessage }))
      store.uploads.add(files.slice(0, count), live.fileBytes)
    },
    // The language changes only with the whole page.
    [store],
  )
  return {
    uploads,
    mayAdd,
    isUploading: uploads.some(({ file, error }) => !file && error === undefined),
    hasFailed: uploads.some(({ error }) => error !== undefined),
    add,
  }
}
