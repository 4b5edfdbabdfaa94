import { useSyncExternalStore } from 'react'

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
 * Keys of deletions, archivings and removals that can still be undone. Every page, including pages
 * opened in the meantime, shows them as done.
 */
export const usePending = () => useSyncExternalStore(subscribe, () => pending)

export const markPending = (keys: readonly string[]) => setPending(pending.union(new Set(keys)))
export const clearPending = (keys: readonly string[]) => setPending(pending.difference(new Set(keys)))

export const linkDeletionOf = (link: number) => `delete link ${link}`
export const slugRemovalOf = (link: number, slug: string) => `remove slug ${link} ${slug}`
export const bundleDeletionOf = (bundle: number) => `delete bundle ${bundle}`
export const bundleArchivingOf = (bundle: number) => `archive bundle ${bundle}`
export const bundleRemovalOf = (bundle: number, link: number) => `remove from bundle ${bundle} ${link}`
