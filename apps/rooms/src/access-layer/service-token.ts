import { jwtVerify } from 'jose'
import { z } from 'zod'
import type { AccessPolicy } from './policy.ts'

/** How much the clock of a service may differ, in seconds. */
const TOLERANCE_SECONDS = 60
/** Maximum lifetime of a token. */
const MAX_SECONDS = 60
const MAX_CHARACTERS = 4_096

const Claims = z.object({ iss: z.string(), iat: z.number(), exp: z.number() })

/**
 * The origin of the service that sends this token (RFC 7523, with a shared key). Undefined unless the
 * key of the services signed it for this instance, a moment ago.
 */
export async function readServiceToken(
  { headers }: Request,
  { origins, serviceKey }: AccessPolicy,
  { audience, nowMs }: { audience: string; nowMs: number },
): Promise<string | undefined> {
  const [, token] = /^Bearer ([\w.-]+)$/i.exec(headers.get('authorization') ?? '') ?? []
  if (serviceKey === null || token === undefined || token.length > MAX_CHARACTERS) return undefined
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(serviceKey), {
      algorithms: ['HS256'],
      typ: 'JWT',
      audience,
      currentDate: new Date(nowMs),
      clockTolerance: TOLERANCE_SECONDS,
    })
    const { iss, iat, exp } = Claims.parse(payload)
    const isRecent = exp - iat <= MAX_SECONDS && iat <= nowMs / 1000 + TOLERANCE_SECONDS
    return isRecent && origins.includes(iss) ? iss : undefined
  } catch {
    return undefined
  }
}
