import { FRESH_MS, invalidate as invalidateAny, refetch, useRead } from '@latchkey/web/queries'
import type { Changes } from '../events/changes.ts'
import { type Input, type OperationId, addressOf, callForPage } from './call.ts'

/** What of the store a query shows: `/events` names these, and a mutation says which it changed. */
export type Resource = 'links' | 'bundles' | 'totals' | 'keys' | 'settings'

/** Reads an operation; nothing while not `enabled`. */
export function useCall<Id extends OperationId>(
  resource: Resource,
  id: Id,
  input: Input<Id>,
  enabled = true,
) {
  return useRead([resource, id, input], (signal) => callForPage(id, input, { signal }), enabled)
}

/** After a change: everything shown about these resources is read again. */
export const invalidate: (...resources: readonly Resource[]) => Promise<void> = invalidateAny

const REFRESHED_RESOURCES: readonly unknown[] = ['links', 'bundles', 'totals']

/** Reads again what may have changed: everything, unless it is told that only these links did. */
function refresh({ links = [], more = true }: Partial<Changes> = {}): void {
  void refetch(([resource, , input]) => {
    // Figures of a bundle change with its links, whose clicks do not name it.
    const id = resource === 'links' ? (input as Partial<Input<'getLink'>>).params?.id : undefined
    return REFRESHED_RESOURCES.includes(resource) && (more || id === undefined || links.includes(id))
  })
}

/** Keeps figures fresh until the returned function is called: by events, else by polling; not at all when hidden. */
export function followChanges(): () => void {
  let source: EventSource | undefined
  let poll: ReturnType<typeof setInterval> | undefined
  const pause = () => {
    source?.close()
    source = undefined
    clearInterval(poll)
    poll = undefined
  }
  const resume = () => {
    source = new EventSource(addressOf('followChanges', {}))
    source.addEventListener('changes', ({ data }) => refresh(JSON.parse(data as string) as Changes))
    source.addEventListener('open', () => {
      if (poll === undefined) return
      clearInterval(poll)
      poll = undefined
      // What changed meanwhile.
      refresh()
    })
    source.addEventListener('error', () => {
      poll ??= setInterval(() => {
        refresh()
        // A refusal, as while the service starts, ends it for good.
        if (source?.readyState === EventSource.CLOSED) resume()
      }, FRESH_MS)
    })
  }
  const onVisibility = () => {
    pause()
    if (document.hidden) return
    refresh()
    resume()
  }
  document.addEventListener('visibilitychange', onVisibility)
  if (!document.hidden) resume()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    pause()
  }
}
