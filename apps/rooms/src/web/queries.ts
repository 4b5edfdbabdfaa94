import {
  catchUp,
  embeddedPages,
  invalidate as invalidateAny,
  isEmbedded,
  refetch as refetchAny,
  useRead,
} from '@latchkey/web/queries'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type Input, type OperationId, type Result, call, embedded } from './call.ts'

/** Subject of a query. A change invalidates the subjects that it affects. */
export type Resource =
  | 'config'
  | 'session'
  | 'sessions'
  | 'rooms'
  | 'room'
  | 'members'
  | 'bans'
  | 'drafts'
  | 'groups'
  | 'invitations'
  | 'pending'
  | 'people'
  | 'status'
  | 'reactions'
  | 'versions'
  | 'admin'
  | 'search'
  | 'notifications'

/** Reads the result of an operation, unless `enabled` is false. */
export function useCall<Id extends OperationId>(
  resource: Resource,
  id: Id,
  input: Input<Id>,
  enabled = true,
) {
  return useRead<Result<Id>>([resource, id, input], (signal) => call(id, input, { signal }), {
    enabled,
    embedded: () => embedded(id, input)?.body,
  })
}

/** Reloads all queries on display about these resources, after a change. */
export const invalidate: (...resources: readonly Resource[]) => Promise<void> = invalidateAny

/**
 * Reloads a resource whose changes are followed from now on. What the page came with is reloaded a
 * little later.
 */
export function follow(resource: Resource): void {
  void refetchAny(([about], query) => about === resource && !isEmbedded(query))
  catchUp(resource)
}

/** Result of a list that is read page by page. */
interface PagedResult {
  nextCursor: string | null
}

type PagedId = { [Id in OperationId]: Result<Id> extends PagedResult ? Id : never }[OperationId]

/**
 * Reads a list page by page, unless `enabled` is false. `more` reads the next page and is undefined on the last one.
 * `moreError` is the error of reading the next page.
 */
export function usePages<Id extends PagedId>(resource: Resource, id: Id, input: Input<Id>, enabled = true) {
  const { data, error, refetch, hasNextPage, fetchNextPage, ...next } = useInfiniteQuery({
    queryKey: [resource, id, input, 'pages'],
    enabled,
    ...embeddedPages(() => embedded(id, input)?.body, undefined as string | undefined),
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
