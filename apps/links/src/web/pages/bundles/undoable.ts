import { tellFailed } from '@latchkey/web/told'
import { withUndo } from '@latchkey/web/parts/undo'
import { begin, settle } from '../../parts/pending.ts'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

/** Does `act` when the toast that says `text` is over, unless it is undone; until then `key` is pending. */
export function useUndoable() {
  const { say, failure } = useText()
  return (key: string, text: string, act: () => Promise<unknown>) => {
    begin([key])
    const carryOut = async () => {
      try {
        await act()
      } catch (error) {
        tellFailed(failure(error))
      }
      await changed('bundles')
      settle([key])
    }
    withUndo(say, text, { act: () => void carryOut(), undo: () => settle([key]) })
  }
}
