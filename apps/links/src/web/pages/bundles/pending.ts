import { notifications } from '@mantine/notifications'
import { useSyncExternalStore } from 'react'
import { withUndo } from '@latchkey/web/parts/undo'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

let pending: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

function setPending(next: ReadonlySet<string>) {
  pending = next
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void) {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

/**
 * What is being deleted, archived or removed while that may still be undone: every page shows it as done already, also
 * the page that somebody goes to meanwhile.
 */
export const usePending = () => useSyncExternalStore(subscribe, () => pending)

export const deletionOf = (bundle: number) => `delete ${bundle}`
export const archivingOf = (bundle: number) => `archive ${bundle}`
export const removalOf = (bundle: number, link: number) => `remove ${bundle} ${link}`

/** Does `act` when the toast that says `text` is over, unless it is undone; until then `key` is pending. */
export function useUndoable() {
  const { say, failure } = useText()
  return (key: string, text: string, act: () => Promise<unknown>) => {
    setPending(pending.union(new Set([key])))
    const settle = () => setPending(pending.difference(new Set([key])))
    const carryOut = async () => {
      try {
        await act()
      } catch (error) {
        notifications.show({ color: 'red', message: failure(error), withCloseButton: false })
      }
      await changed('bundles')
      settle()
    }
    withUndo(say, text, { act: () => void carryOut(), undo: settle })
  }
}
