import { z } from 'zod'
import { SESSION_ENDED } from '../access/sessions.ts'
import { type Context, operation } from '../api/context.ts'
import { readLastClicks } from './click-store.ts'
import type { ChangeSubscription } from './feed.ts'
import { LiveClickReader } from './live-clicks.ts'
import { LiveClick } from './schema.ts'

/** Frequent enough to keep proxies from closing an idle connection. */
const COMMENT_AFTER_MS = 25_000

/** Lifetime of a stream. Browsers then open another, which the access layer checks again. */
const MAX_LIFETIME_MS = 600_000

/**
 * How long a stream may last, in milliseconds: as long as the caller's assertion, and in every mode
 * at most `MAX_LIFETIME_MS`.
 */
export function lifetimeMs({ now, admittedUntil }: Pick<Context, 'now' | 'admittedUntil'>): number {
  return admittedUntil === undefined
    ? MAX_LIFETIME_MS
    : Math.min(MAX_LIFETIME_MS, (admittedUntil - now) * 1000)
}

/** Clicks in a list of the last ones. */
const MAX_RECENT = 20

interface EventSources {
  subscribe: () => Promise<ChangeSubscription>
  /** Undefined for a page that does not show clicks. */
  clicks: LiveClickReader | undefined
  sessionSignal: AbortSignal | undefined
}

/**
 * Each chunk is created once the reader has taken the previous one. A slow reader delays only
 * itself.
 */
function createEventStream(
  { subscribe, clicks, sessionSignal }: EventSources,
  lifetime: number,
): ReadableStream<Uint8Array> {
  const endMs = performance.now() + lifetime
  let subscription: ChangeSubscription | undefined
  let isCancelled = false
  const encoder = new TextEncoder()
  const closed = new AbortController()
  const end = () => {
    closed.abort()
    subscription?.end()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!subscription) {
          subscription = await subscribe()
          sessionSignal?.addEventListener('abort', end, { signal: closed.signal })
          await clicks?.next()
          if (isCancelled || sessionSignal?.aborted) end()
          if (isCancelled) return
          controller.enqueue(encoder.encode('retry: 2000\n\n'))
          return
        }
        const leftMs = endMs - performance.now()
        if (leftMs <= 0) end()
        const changes = await subscription.next(Math.min(COMMENT_AFTER_MS, leftMs))
        const events = await formatEvents(changes, { clicks, sessionSignal })
        if (isCancelled) return
        if (events !== '') controller.enqueue(encoder.encode(events))
        if (changes !== 'ended') return
        end()
        controller.close()
      },
      cancel() {
        isCancelled = true
        end()
      },
    },
    { highWaterMark: 0 },
  )
}

async function formatEvents(
  changes: Awaited<ReturnType<ChangeSubscription['next']>>,
  { clicks, sessionSignal }: Pick<EventSources, 'clicks' | 'sessionSignal'>,
): Promise<string> {
  if (changes === 'quiet') return ':\n\n'
  if (changes === 'ended') return sessionSignal?.reason === SESSION_ENDED ? formatEvent('signed-out', {}) : ''
  const newClicks = changes.totals ? await clicks?.next() : undefined
  return formatEvent('changes', changes) + (newClicks ? formatEvent('clicks', newClicks) : '')
}

function formatEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Reads live clicks in the caller's view, by a clock that continues from the request. */
function createClickReader({ database, filters, now }: Context): LiveClickReader {
  const startedMs = performance.now()
  const nowSeconds = () => now + Math.floor((performance.now() - startedMs) / 1000)
  return new LiveClickReader({ database, filters, now: nowSeconds })
}

/** Changes as they happen, on the admin side only (L17). */
export const eventOperations = [
  operation({
    id: 'listRecentClicks',
    methods: ['GET'],
    path: '/clicks/recent',
    scope: 'admin',
    tag: 'Events',
    summary: `The last ${MAX_RECENT} clicks of all links`,
    result: z.array(LiveClick).max(MAX_RECENT),
    async handler(context) {
      await context.flushClicks()
      const { database, now, filters } = context
      return readLastClicks(database.offThread, { now, filters, max: MAX_RECENT })
    },
  }),
  operation({
    id: 'followChanges',
    methods: ['GET'],
    path: '/events',
    scope: 'admin',
    tag: 'Events',
    summary: 'Changes of links, bundles and totals as server-sent events, at most one a second',
    query: z.object({
      clicks: z
        .enum(['true', 'false'])
        .default('false')
        .transform((value) => value === 'true')
        .meta({ description: '`true` adds events with the clicks.' }),
    }),
    result: z.unknown(),
    media: {
      'text/event-stream':
        'Events named `changes`: {links, bundles, totals, more}, `clicks`: {clicks, more}, and at the end of the session `signed-out`: {}',
    },
    lasting: true,
    async handler(context, { query }) {
      const clicks = query.clicks ? createClickReader(context) : undefined
      const { sessionSignal } = context
      const sources = { subscribe: () => context.followChanges(), clicks, sessionSignal }
      return createEventStream(sources, lifetimeMs(context))
    },
    answer: (stream) => ({
      body: stream,
      // Buffering proxies would delay events until enough of them arrive.
      headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' },
    }),
  }),
]
