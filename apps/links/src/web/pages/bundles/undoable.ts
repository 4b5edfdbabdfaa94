import { showError } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { begin, settle } from '../../parts/pending.ts'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

/** Does `act` when the toast that says `text` is over, unless it is undone; until then `key` is pending. */
export function useUndoable() {
  const { t, failure } = useText()
  return (key: string, text: string, act: () => Promise<unknown>) => {
    begin([key])
    const carryOut = async () => {
      try {
        await act()
      } catch (error) {
        showError(failure(error))
      }
      await changed('bundles')
      settle([key])
    }
    withUndo(t, text, { act: () => void carryOut(), undo: () => settle([key]) })
  }
}
