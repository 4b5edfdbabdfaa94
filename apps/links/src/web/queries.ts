import { answers } from '@latchkey/web/answers'
import { signIn } from '@latchkey/web/call'
import {
  FRESH_MS,
  catchUp,
  invalidate as invalidateAny,
  refetch,
  refetchFailed,
  useRead,
} from '@latchkey/web/queries'
import type { Changes } from '../live/changes.ts'
import type { LiveClicks } from '../live/schema.ts'
import { type Input, type OperationId, addressOf, callForPage, embeddedForPage } from './call.ts'

/** Part of the stored data that a query reads. Mutations and `/events` name the changed parts. */
export type Resource =
  | 'links'
  | 'bundles'
  | 'totals'
  | 'keys'
  | 'policies'
  | 'plans'
  | 'webhooks'
  | 'deliveries'
  | 'settings'
  | 'qr-presets'
  | 'domains'
  | 'favicons'
  | 'history'

/** Reads the result of an operation. Sends no request unless `enabled`. */
export function useCall<Id extends OperationId>(
  resource: Resource,
  id: Id,
  input: Input<Id>,
  enabled = true,
) {
  return useRead([resource, id, input], (signal) => callForPage(id, input, { signal }), {
    enabled,
    embedded: () => embeddedForPage(id, input),
  })
}

/** Reads all queries of these resources again. Call it after a change. */
export const invalidate: (...resources: readonly Resource[]) => Promise<void> = invalidateAny

const REFRESHED_RESOURCES: readonly string[] = ['links', 'bundles', 'totals', 'history']

/**
 * Refetches queries that may have changed. A query of a single link is refetched only if the link
 * is in `links`, or if `more`.
 */
function refresh({ links = [], more = true }: Partial<Changes> = {}): void {
  answers.drop()
  void refetch(([resource, , input]) => {
    // The statistics of a bundle change with each of its links, but an event of a click does not
    // name the bundle.
    const id = resource === 'links' ? (input as Partial<Input<'getLink'>>).params?.id : undefined
    // The stream has no plans.
    if (resource === 'plans') return more
    return REFRESHED_RESOURCES.includes(String(resource)) && (more || id === undefined || links.includes(id))
  })
}

type ClickListener = (clicks: LiveClicks) => void

const clickListeners = new Set<ClickListener>()
/** Whether the event stream has clicks, or is about to. */
let hasClicks = false
/** Opens the event stream again, with clicks if there are listeners. */
let reopenStream = () => {}

/** Calls the listener with new clicks, while changes are followed, until the returned function is called. */
export function followClicks(listener: ClickListener): () => void {
  clickListeners.add(listener)
  if (!hasClicks) reopenStream()
  return () => {
    clickListeners.delete(listener)
    if (clickListeners.size === 0) reopenStream()
  }
}

/**
 * Refreshes statistics until the returned function is called: on events, or by polling while the
 * event stream is down. Pauses while the page is hidden. If clicks are expected, the first stream
 * has them, and need not be opened again for a listener.
 */
export function followChanges({ expectsClicks = false } = {}): () => void {
  let source: EventSource | undefined
  let poll: ReturnType<typeof setInterval> | undefined
  hasClicks = expectsClicks
  const pause = () => {
    source?.close()
    source = undefined
    clearInterval(poll)
    poll = undefined
  }
  const startPolling = () => {
    poll ??= setInterval(() => {
      refresh()
      // After a refusal, such as while the service starts, the browser does not reconnect.
      if (source?.readyState === EventSource.CLOSED) resume()
    }, FRESH_MS)
  }
  const resume = () => {
    source = new EventSource(addressOf('followChanges', hasClicks ? { query: { clicks: true } } : {}))
    source.addEventListener('clicks', ({ data }) => {
      const clicks = JSON.parse(data as string) as LiveClicks
      for (const listener of clickListeners) listener(clicks)
    })
    source.addEventListener('changes', ({ data }) => refresh(JSON.parse(data as string) as Changes))
    source.addEventListener('open', () => {
      if (poll === undefined) return catchUp(...REFRESHED_RESOURCES, 'live')
      clearInterval(poll)
      poll = undefined
      // Changes while the stream was down sent no event.
      refresh()
      void refetchFailed()
    })
    source.addEventListener('error', startPolling)
    source.addEventListener('signed-out', () => {
      source?.close()
      signIn.end()
      startPolling()
    })
  }
  const onVisibility = () => {
    pause()
    if (document.hidden) return
    refresh()
    resume()
  }
  reopenStream = () => {
    hasClicks = clickListeners.size > 0
    pause()
    if (!document.hidden) resume()
  }
  document.addEventListener('visibilitychange', onVisibility)
  if (!document.hidden) resume()
  return () => {
    reopenStream = () => {}
    document.removeEventListener('visibilitychange', onVisibility)
    pause()
  }
}
