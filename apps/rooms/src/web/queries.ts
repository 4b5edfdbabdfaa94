import { invalidate as invalidateAny, useRead } from '@latchkey/web/queries'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type Input, type OperationId, type Result, call } from './call.ts'

/** Subject of a query. A change invalidates the subjects that it affects. */
export type Resource =
  | 'config'
  | 'session'
  | 'sessions'
  | 'rooms'
  | 'room'
  | 'members'
  | 'bans'
  | 'invitations'
  | 'pending'
  | 'admin'

/** Reads the result of an operation, unless `enabled` is false. */
export function useCall<Id extends OperationId>(
  resource: Resource,
  id: Id,
  input: Input<Id>,
  enabled = true,
) {
  return useRead<Result<Id>>([resource, id, input], (signal) => call(id, input, { signal }), enabled)
}

/** Reloads all queries on display about these resources, after a change. */
export const invalidate: (...resources: readonly Resource[]) => Promise<void> = invalidateAny

/** Result of a list that is read page by page. */
interface PagedResult {
  nextCursor: string | null
}

type PagedId = { [Id in OperationId]: Result<Id> extends PagedResult ? Id : never }[OperationId]

/**
 * Reads a list page by page. `more` reads the next page and is undefined on the last one.
 * `moreError` is the error of reading the next page.
 */
export function usePages<Id extends PagedId>(resource: Resource, id: Id, input: Input<Id>) {
  const { data, error, refetch, hasNextPage, fetchNextPage, ...next } = useInfiniteQuery({
    queryKey: [resource, id, input, 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const { query = {} } = input
      const page = { ...input, query: { ...query, ...(pageParam !== undefined && { cursor: pageParam }) } }
      return call(id, page as Input<Id>, { signal })
    },
    getNextPageParam: (last) => (last as PagedResult).nextCursor ?? undefined,
  })
  return {
    pages: data?.pages,
    error,
    retry: () => void refetch(),
    more: hasNextPage ? () => void fetchNextPage() : undefined,
    isReading: next.isFetchingNextPage,
    moreError: next.isFetchNextPageError ? error : null,
  }
}
