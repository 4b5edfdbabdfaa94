import { type Query, QueryClient, type QueryKey, keepPreviousData, useQuery } from '@tanstack/react-query'
import { answers } from './answers.ts'
import { CallError, isUnanswered } from './call.ts'

/** Milliseconds for which a read stays fresh and is not repeated without a reason. */
export const FRESH_MS = 30_000

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The service may be on this machine, so the browser's own online state does not decide.
      networkMode: 'always',
      staleTime: FRESH_MS,
      refetchOnWindowFocus: false,
      // What was not answered is read again by itself, at once when the browser is online again.
      refetchInterval: ({ state }) => (isUnanswered(state.error) ? FRESH_MS : false),
      refetchOnReconnect: ({ state }) => (state.status === 'error' ? 'always' : true),
      retry: (count, error) => count < 2 && !(error instanceof CallError && error.status >= 400),
    },
    mutations: { networkMode: 'always' },
  },
})

/** When the server wrote the data into the page, or a little earlier. */
export const EMBEDDED_AT_MS = performance.timeOrigin

interface ReadOptions<Value> {
  /** If false, `read` is not called. Default: true. */
  enabled?: boolean
  /** Returns the data that the page came with, if it has any (answers.ts). */
  embedded?: () => Value | undefined
}

/**
 * Reads data, and shows the previous data meanwhile. The key begins with the subject, by which a
 * change finds every query about it.
 */
export function useRead<Value>(
  key: readonly [about: string, ...rest: unknown[]],
  read: (signal: AbortSignal) => Promise<Value>,
  { enabled = true, embedded = () => undefined }: ReadOptions<Value> = {},
) {
  return useQuery<Value>({
    enabled,
    queryKey: key,
    queryFn: ({ signal }) => read(signal),
    placeholderData: keepPreviousData,
    initialData: embedded,
    initialDataUpdatedAt: EMBEDDED_AT_MS,
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
export async function refetch(isOld: (key: QueryKey, query: Query) => boolean): Promise<void> {
  const old = queries.getQueryCache().findAll({ predicate: (query) => isOld(query.queryKey, query) })
  await Promise.all(
    old.map((query) => {
      const reading = waiting.get(query) ?? refetchNext(query)
      waiting.set(query, reading)
      return reading
    }),
  )
}

/** Reads everything on display that could not be read again, such as when the service is back. */
export const refetchFailed = (): Promise<void> => refetch((_, { state }) => state.status === 'error')

/** Reads everything on display about these subjects again, after a change. */
export function invalidate(...about: readonly string[]): Promise<void> {
  answers.drop()
  return refetch(([subject]) => about.includes(String(subject)))
}

/** Late enough not to delay the page itself, in milliseconds. */
const CATCH_UP_AFTER_MS = 5_000

/** True if this is still the data that the page came with. */
export const isEmbedded = ({ state }: Query) => state.dataUpdateCount === 0 && state.data !== undefined

/**
 * Reads what the page came with about these subjects again, a little later: their changes are
 * followed only from now on.
 */
export function catchUp(...about: readonly string[]): void {
  const isOld = ([subject]: QueryKey, query: Query) => about.includes(String(subject)) && isEmbedded(query)
  setTimeout(() => void refetch(isOld), CATCH_UP_AFTER_MS)
}

/** The data of a list that is read page by page, of which the page came with the first. */
export const embeddedPages = <Value, Cursor>(first: () => Value | undefined, cursor: Cursor) => ({
  initialData() {
    const page = first()
    return page && { pages: [page], pageParams: [cursor] }
  },
  initialDataUpdatedAt: EMBEDDED_AT_MS,
})
