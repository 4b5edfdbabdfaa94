import { z } from 'zod'
import { type Context, operation } from '../context.ts'
import type { ChangeSubscription } from './feed.ts'

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

/**
 * Each chunk is created once the reader has taken the previous one. A slow reader delays only
 * itself.
 */
function createEventStream(
  subscribe: () => Promise<ChangeSubscription>,
  lifetime: number,
): ReadableStream<Uint8Array> {
  const endMs = performance.now() + lifetime
  let subscription: ChangeSubscription | undefined
  let isCancelled = false
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!subscription) {
          subscription = await subscribe()
          if (isCancelled) return subscription.end()
          controller.enqueue(encoder.encode('retry: 2000\n\n'))
          return
        }
        const leftMs = endMs - performance.now()
        if (leftMs <= 0) subscription.end()
        const changes = await subscription.next(Math.min(COMMENT_AFTER_MS, leftMs))
        if (isCancelled) return
        if (changes === 'ended') controller.close()
        else if (changes === 'quiet') controller.enqueue(encoder.encode(':\n\n'))
        else controller.enqueue(encoder.encode(`event: changes\ndata: ${JSON.stringify(changes)}\n\n`))
      },
      cancel() {
        isCancelled = true
        subscription?.end()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Changes as they happen, on the admin side only (L17). */
export const eventOperations = [
  operation({
    id: 'followChanges',
    methods: ['GET'],
    path: '/events',
    scope: 'admin',
    tag: 'Events',
    summary: 'Changes of links, bundles and totals as server-sent events, at most one a second',
    result: z.unknown(),
    media: { 'text/event-stream': 'Events named `changes`: {links, bundles, totals, more}' },
    lasting: true,
    handler: async (context) => createEventStream(() => context.followChanges(), lifetimeMs(context)),
    answer: (stream) => ({
      body: stream,
      // Buffering proxies would delay events until enough of them arrive.
      headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' },
    }),
  }),
]
