import { type Query, QueryClient, type QueryKey, keepPreviousData, useQuery } from '@tanstack/react-query'
import { CallError } from './call.ts'

/** Milliseconds for which a read stays fresh and is not repeated without a reason. */
export const FRESH_MS = 30_000

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The service may be on this machine, so the browser's own online state does not decide.
      networkMode: 'always',
      staleTime: FRESH_MS,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof CallError && error.status >= 400),
    },
    mutations: { networkMode: 'always' },
  },
})

/**
 * Reads data, and shows the previous data meanwhile. The key begins with the subject, by which a
 * change finds every query about it. Nothing is read unless `enabled`.
 */
export function useRead<Value>(
  key: readonly [about: string, ...rest: unknown[]],
  read: (signal: AbortSignal) => Promise<Value>,
  enabled = true,
) {
  return useQuery<Value>({
    enabled,
    queryKey: key,
    queryFn: ({ signal }) => read(signal),
    placeholderData: keepPreviousData,
  })
}

/**
 * A read that takes longer than this, in milliseconds, while another waits for it counts as hung,
 * such as on a connection that died during sleep.
 */
const HUNG_MS = 10_000

/** Queries that wait for their running read to end. */
const waiting = new WeakMap<Query, Promise<void>>()

/**
 * Reads the query again after its running read, which may have begun before the change. The running
 * read is not aborted: if changes came faster than reads, none would ever end.
 */
async function refetchNext(query: Query): Promise<void> {
  const timer = setTimeout(() => void query.cancel({ revert: true }), HUNG_MS)
  do await query.promise?.catch(() => {})
  while (query.promise)
  clearTimeout(timer)
  waiting.delete(query)
  await queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
}

/**
 * Reads everything on display for which `isOld` is true again: each by one read that begins after
 * this call, however often this function is called until then. Resolves when the reads have ended.
 */
export async function refetch(isOld: (key: QueryKey) => boolean): Promise<void> {
  const old = queries.getQueryCache().findAll({ predicate: ({ queryKey }) => isOld(queryKey) })
  await Promise.all(
    old.map((query) => {
      const reading = waiting.get(query) ?? refetchNext(query)
      waiting.set(query, reading)
      return reading
    }),
  )
}

/** Reads everything on display about these subjects again, after a change. */
export const invalidate = (...about: readonly string[]): Promise<void> =>
  refetch(([each]) => about.includes(String(each)))
