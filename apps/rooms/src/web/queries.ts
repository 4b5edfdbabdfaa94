import { invalidate as invalidateAny, useRead } from '@latchkey/web/queries'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type Input, type OperationId, type Result, call } from './call.ts'

/** What a query shows: a change says which of these it changed. */
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

/** Reads an operation; nothing while not `enabled`. */
export function useCall<Id extends OperationId>(
  resource: Resource,
  id: Id,
  input: Input<Id>,
  enabled = true,
) {
  return useRead<Result<Id>>([resource, id, input], (signal) => call(id, input, { signal }), enabled)
}

/** After a change: everything shown about these resources is read again. */
export const invalidate: (...resources: readonly Resource[]) => Promise<void> = invalidateAny

/** What lists that are read in pages answer with. */
interface PagedResult {
  nextCursor: string | null
}

type PagedId = { [Id in OperationId]: Result<Id> extends PagedResult ? Id : never }[OperationId]

/** Reads a list page by page; `more` reads the next one, and is missing at the end; `moreError`: why that could not be read. */
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
