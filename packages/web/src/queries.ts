import { QueryClient, keepPreviousData, useQuery } from '@tanstack/react-query'
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

/** After a change: everything shown about these is read again. */
export async function changed(...about: readonly string[]): Promise<void> {
  await Promise.all(about.map((each) => queries.invalidateQueries({ queryKey: [each] })))
}
