import { QueryClient, useQuery } from '@tanstack/react-query'
import { CallError, type Input, type OperationId, addressOf, callForPage } from './call.ts'

const POLL_MS = 30_000

/** What of the store a query shows: `/events` names these, and a mutation says which it changed. */
export type Resource = 'links' | 'bundles' | 'totals' | 'keys' | 'settings'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The service may be on this machine: whether it answers is not for the browser to guess.
      networkMode: 'always',
      staleTime: POLL_MS,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof CallError && error.status >= 400),
    },
    mutations: { networkMode: 'always' },
  },
})

/**
 * Reads an operation; keys begin with the resource, so that a change of it finds every query about it. Nothing is read
 * while not `enabled`.
 */
export function useCall<Id extends OperationId>(
  resource: Resource,
  id: Id,
  input: Input<Id>,
  enabled = true,
) {
  return useQuery({
    enabled,
    queryKey: [resource, id, input],
    queryFn: ({ signal }) => callForPage(id, input, { signal }),
    placeholderData: (before) => before,
  })
}

/** After a change: everything shown about these resources is read again. */
export async function changed(...resources: readonly Resource[]): Promise<void> {
  await Promise.all(resources.map((resource) => queries.invalidateQueries({ queryKey: [resource] })))
}

const REFRESHED = ['links', 'bundles', 'totals'] as const

const refresh = () => void changed(...REFRESHED)

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
    source.addEventListener('changes', refresh)
    source.addEventListener('open', () => {
      clearInterval(poll)
      poll = undefined
    })
    source.addEventListener('error', () => {
      poll ??= setInterval(refresh, POLL_MS)
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
