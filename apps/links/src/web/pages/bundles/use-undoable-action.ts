import { showError } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { markPending, clearPending } from '../../parts/pending.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

/** Runs `act` when the toast with `text` closes without an undo. Until then, `key` is pending. */
export function useUndoableAction() {
  const { t, failure } = useText()
  return (key: string, text: string, act: () => Promise<unknown>) => {
    markPending([key])
    const run = async () => {
      try {
        await act()
      } catch (error) {
        showError(failure(error))
      }
      await invalidate('bundles')
      clearPending([key])
    }
    withUndo(t, text, { act: () => void run(), undo: () => clearPending([key]) })
  }
}
