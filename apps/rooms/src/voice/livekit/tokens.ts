import { SignJWT, jwtVerify } from 'jose'
import { z } from 'zod'
import type { LiveKitSettings } from '../../settings/voice.ts'
import type { Grants } from '../grants.ts'

/** Lifetime of the tokens of Rooms. */
const TOKEN_SECONDS = 60
/** How much the clock of LiveKit may differ. */
const TOLERANCE_SECONDS = 10

/** Who a participant of LiveKit is: a connection of a user. */
export interface Identity {
  readonly userId: string
  readonly connectionId: string
}

/** Kinds of tracks as LiveKit names them. */
export type TrackSource = 'microphone' | 'camera' | 'screen_share' | 'screen_share_audio'

type Signing = Pick<LiveKitSettings, 'key' | 'secret'>
type VideoGrant = Readonly<Record<string, unknown>>

export function formatIdentity({ userId, connectionId }: Identity): string {
  return `${userId}:${connectionId}`
}

const IDENTITY = /^([0-9a-f-]{36}):([0-9a-f-]{36})$/

/** Undefined for participants that Rooms did not let in. */
export function parseIdentity(text: string): Identity | undefined {
  const [, userId, connectionId] = IDENTITY.exec(text) ?? []
  return userId === undefined || connectionId === undefined ? undefined : { userId, connectionId }
}

/** Sources that these grants let a participant publish. */
export function sourcesOf({ audio, camera, screen }: Grants): TrackSource[] {
  return [
    ...(audio ? (['microphone'] as const) : []),
    ...(camera ? (['camera'] as const) : []),
    ...(screen ? (['screen_share', 'screen_share_audio'] as const) : []),
  ]
}

async function sign(
  { key, secret }: Signing,
  claims: { video: VideoGrant; sub?: string } | { sha256: string },
  nowMs: number,
): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1000)
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(key)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TOKEN_SECONDS)
    .sign(keyOf(secret))
}

function keyOf(secret: string): Uint8Array {
  return new TextEncoder().encode(secret)
}

/** Token for the API of LiveKit with these rights. */
export function signApiToken(signing: Signing, video: VideoGrant, nowMs: number): Promise<string> {
  return sign(signing, { video }, nowMs)
}

export interface ParticipantToken {
  readonly identity: Identity
  /** Room of LiveKit. */
  readonly room: string
}

/**
 * Token with which a participant connects. It lets them hear, publish what the grants allow, and
 * nothing else (R33.4).
 */
export function signParticipantToken(
  signing: Signing,
  { identity, room, grants }: ParticipantToken & { grants: Grants },
  nowMs: number,
): Promise<string> {
  const sources = sourcesOf(grants)
  const video = {
    room,
    roomJoin: true,
    canSubscribe: true,
    // Without sources, LiveKit would allow all of them.
    canPublish: sources.length > 0,
    canPublishSources: sources,
    canPublishData: false,
    canUpdateOwnMetadata: false,
  }
  return sign(signing, { sub: formatIdentity(identity), video }, nowMs)
}

const ParticipantClaims = z.object({
  sub: z.string(),
  video: z.object({ room: z.string(), roomJoin: z.literal(true) }),
})

/**
 * Reads a token of a participant, also one that LiveKit itself has renewed. Undefined for all
 * others, and after its expiry.
 */
export async function readParticipantToken(
  signing: Signing,
  token: string,
  nowMs: number,
): Promise<ParticipantToken | undefined> {
  const claims = ParticipantClaims.safeParse(await verify(signing, token, nowMs))
  const identity = claims.data && parseIdentity(claims.data.sub)
  return claims.data && identity && { identity, room: claims.data.video.room }
}

/** Claims of a token of LiveKit; undefined unless this key signed it and it is valid now. */
async function verify({ key, secret }: Signing, token: string, nowMs: number): Promise<unknown> {
  try {
    const { payload } = await jwtVerify(token, keyOf(secret), {
      issuer: key,
      algorithms: ['HS256'],
      currentDate: new Date(nowMs),
      requiredClaims: ['exp'],
      clockTolerance: TOLERANCE_SECONDS,
    })
    return payload
  } catch {
    return undefined
  }
}

/** Token with which LiveKit signs a webhook. */
export function signWebhookToken(signing: Signing, body: string, nowMs: number): Promise<string> {
  return sign(signing, { sha256: hashBody(body) }, nowMs)
}

function hashBody(body: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(body).digest('base64')
}

const WebhookClaims = z.object({ sha256: z.string() })

/** Whether LiveKit has signed a webhook with this body. */
export async function isSignedWebhook(
  signing: Signing,
  { token, body }: { token: string; body: Uint8Array },
  nowMs: number,
): Promise<boolean> {
  const claims = WebhookClaims.safeParse(await verify(signing, token, nowMs))
  return claims.data?.sha256 === hashBody(body)
}
