import { createHash, createHmac } from 'node:crypto'
import type { VoiceSettings } from '../settings/voice.ts'
import type { IceServer } from './schema.ts'

/** Lifetime of TURN credentials. Connections that exist by then go on. */
const TURN_SECONDS = 600

/**
 * STUN and TURN servers for a session. The TURN credentials are those of coturn's
 * `use-auth-secret`: the name has the expiry in Unix seconds and stands for the session, and the
 * password is its HMAC.
 */
export function iceServersFor(
  { stunUrls, turn }: Pick<VoiceSettings, 'stunUrls' | 'turn'>,
  sessionId: string,
  nowMs: number,
): IceServer[] {
  const servers: IceServer[] = stunUrls.length > 0 ? [{ urls: [...stunUrls] }] : []
  if (!turn) return servers
  const session = createHash('sha256').update(sessionId).digest('hex').slice(0, 16)
  const username = `${Math.floor(nowMs / 1000) + TURN_SECONDS}:${session}`
  const credential = createHmac('sha1', turn.secret).update(username).digest('base64')
  return [...servers, { urls: [...turn.urls], username, credential }]
}
