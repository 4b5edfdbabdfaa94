import { type Query, QueryClient, type QueryKey, keepPreviousData, useQuery } from '@tanstack/react-query'
import { CallError } from './call.ts'

/** Milliseconds for which what was read is not read again without a reason. */
export const FRESH_MS = 30_000

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The service may be on this machine: whether it answers is not for the browser to guess.
      networkMode: 'always',
      staleTime: FRESH_MS,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof CallError && error.status >= 400),
    },
    mutations: { networkMode: 'always' },
  },
})

/**
 * Reads something and shows what was there before meanwhile. The key begins with what it is about, so that a change of
 * that finds every query about it. Nothing is read while not `enabled`.
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

/** A read that takes longer than this while another waits for it hangs, as on a connection that died in a sleep. */
const HUNG_MS = 10_000

/** Reads that wait until nothing is under way. */
const waiting = new WeakMap<Query, Promise<void>>()

/**
 * What is under way may have begun before the change, and is not broken off: changes that come faster than reads would let
 * none of them end.
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
 * Everything shown that `isOld` says is read again: each by one read that begins after this call, however often this is
 * called until then. Ends when they have ended.
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

/** After a change: everything shown about these is read again. */
export const invalidate = (...about: readonly string[]): Promise<void> =>
  refetch(([each]) => about.includes(String(each)))
