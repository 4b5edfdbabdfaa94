import { SignJWT } from 'jose'
import { z } from 'zod'
import type { Settings } from '../settings/settings.ts'
import { readDocument } from './refreshing-cache.ts'

/** The session identifier of an assertion. */
export const SessionId = z.string().min(1).max(200)

const RevocationPage = z.object({
  /** Where the next page begins. */
  cursor: z.string().min(1).max(200),
  ended: z.array(z.object({ sid: SessionId, at: z.iso.datetime() })),
  /** True if sessions may have ended since the last page that no page names. */
  reset: z.boolean(),
})
export type RevocationPage = z.output<typeof RevocationPage>

/**
 * Asks for the sessions that have ended since a page, and waits for the first; without a page, for
 * all that the access layer still knows.
 */
export type ReadRevocations = (since: string | undefined, signal: AbortSignal) => Promise<RevocationPage>

/** For the time that the request needs on its way. */
const TOKEN_SECONDS = 60

/** Creates the client of the access layer's list of ended sessions; undefined without its settings. */
export function createRevocationReader(
  { accessRevocationsUrl, accessServiceKey, accessIssuer, accessAudience }: Settings,
  now: () => number = Date.now,
): ReadRevocations | undefined {
  if (accessRevocationsUrl === null || accessServiceKey === null) return undefined
  const key = new TextEncoder().encode(accessServiceKey)
  return async (since, signal) => {
    const issuedAt = Math.floor(now() / 1000)
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(accessAudience ?? '')
      .setAudience(accessIssuer ?? '')
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + TOKEN_SECONDS)
      .sign(key)
    const url = new URL(accessRevocationsUrl)
    if (since !== undefined) url.searchParams.set('since', since)
    const headers = { authorization: `Bearer ${token}` }
    return RevocationPage.parse(await readDocument(url.href, fetch, { headers, signal }))
  }
}
