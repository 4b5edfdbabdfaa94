const PATH = '/_/admin/api/settings'
const ANSWER_WITHIN_MS = 5_000
const MAX_REDIRECTS = 5
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 404])
/** What a proxy says in the place of a service that does not run. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504])

/** How the public address answers a stranger who asks for the admin side; the status where that is no refusal. */
export type Exposure = 'refused' | 'unreachable' | number

/** Asks for the admin side under its public address, without credentials. Never fails. */
export async function findExposure(baseUrl: string): Promise<Exposure> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
  let address = baseUrl + PATH
  for (let asked = 0; asked <= MAX_REDIRECTS; asked++) {
    const answer = await fetch(address, { redirect: 'manual', signal }).catch(() => undefined)
    if (answer === undefined) return 'unreachable'
    await answer.body?.cancel()
    const location = answer.headers.get('location')
    if (location === null) return exposureOf(answer.status)
    const next = URL.parse(location, address)
    // A sign-in page is somewhere else. The same path under another scheme or name is still this service.
    if (next?.pathname !== PATH) return 'refused'
    address = next.href
  }
  return 'refused'
}

function exposureOf(status: number): Exposure {
  if (REFUSALS.has(status)) return 'refused'
  return AWAY.has(status) ? 'unreachable' : status
}

/** What is wrong and what to do, in one sentence. */
export function explainExposure(baseUrl: string, status: number): string {
  return `${baseUrl} answers ${status} at ${PATH} to strangers: set LINKS_ACCESS to jwt or header, and let the proxy send X-Forwarded-For`
}
