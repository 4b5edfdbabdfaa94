import { readPieces } from '@latchkey/http/body'
import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { z } from 'zod'
import { failure } from './api/failures.ts'
import type { MediaControl } from './realtime/calls/media-control.ts'
import type { Services } from './services.ts'
import { LIVEKIT_PATH, type LiveKit } from './voice/livekit/livekit.ts'
import { answerAt } from './http/api.ts'
import { clientOf } from './http/client.ts'

export const WEBHOOK_PATH = `${LIVEKIT_PATH}/webhook`

/** Later than LiveKit repeats a webhook. */
const MAX_AGE_MS = 60_000
const MAX_REMEMBERED = 1_000

const WebhookEvent = z.object({
  id: z.string(),
  event: z.string(),
  /** Seconds since 1970. */
  createdAt: z.coerce.number(),
  room: z.object({ name: z.string() }).nullish(),
})
type WebhookEvent = z.output<typeof WebhookEvent>

/** Events by which someone may be in a call, or publish in it, without the right. */
const CAUSES: ReadonlySet<string> = new Set([
  'participant_joined',
  'track_published',
  'egress_started',
  'egress_updated',
])

/**
 * The endpoint at which LiveKit reports what happens there (R33.5). A webhook only causes a look at
 * LiveKit before the next one is due, so that one that is lost, late or doubled does no harm.
 */
export function createLiveKitWebhook(
  services: Services,
  media: MediaControl | null,
): (request: Request, peer: string) => Promise<Response> {
  const recentIds = new Set<string>()
  const isNew = ({ id, createdAt }: WebhookEvent, nowMs: number): boolean => {
    if (recentIds.has(id) || Math.abs(nowMs - createdAt * 1000) > MAX_AGE_MS) return false
    recentIds.add(id)
    const [oldest] = recentIds
    if (recentIds.size > MAX_REMEMBERED && oldest !== undefined) recentIds.delete(oldest)
    return true
  }
  return (request, peer) =>
    answerAt(WEBHOOK_PATH, services, request, async () => {
      const { livekit, metrics } = services
      if (!livekit || !media) throw failure('not_found')
      if (request.method !== 'POST') throw failure('method_not_allowed', { headers: { Allow: 'POST' } })
      if (isCrossOriginSubrequest(request)) throw failure('cross_site_request')
      services.rates.take('backchannel_per_minute', `livekit:${clientOf(services, request, peer).prefix}`)
      const event = await readEvent(services, livekit, request)
      const isOwn = livekit.roomIdOf(event.room?.name ?? '') !== undefined
      const isCause = isOwn && CAUSES.has(event.event) && isNew(event, livekit.now())
      metrics.countWebhook(isCause ? 'applied' : 'ignored')
      if (isCause) void media.look()
      return Response.json({ success: true })
    })
}

/** Throws `unauthenticated` unless LiveKit has signed this body. */
async function readEvent(
  { policy, metrics }: Services,
  livekit: LiveKit,
  request: Request,
): Promise<WebhookEvent> {
  const pieces: Uint8Array[] = []
  for await (const piece of readPieces(request, policy.limits.body_bytes)) pieces.push(piece)
  const body = Buffer.concat(pieces)
  // LiveKit sends the token without a scheme.
  const token = (request.headers.get('authorization') ?? '').replace(/^Bearer /, '')
  if (!(await livekit.isSignedWebhook(token, body))) {
    metrics.countWebhook('refused')
    throw failure('unauthenticated', { text: 'LiveKit did not sign this webhook' })
  }
  const event = WebhookEvent.safeParse(parseJson(body.toString()))
  if (!event.success) throw failure('invalid_request')
  return event.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
