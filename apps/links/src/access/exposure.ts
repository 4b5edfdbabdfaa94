/** Paths that must not be public: a part of the admin side, and the metrics of the instance. */
const GUARDED_PATHS = ['/_/admin/api/settings', '/_/metrics'] as const
const ANSWER_TIMEOUT_MS = 5_000
const MAX_REDIRECTS = 5
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 404])
/** Statuses with which a proxy answers for a service that is down. */
const UNREACHABLE_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

/** A path that answers without authentication. */
export interface ExposedPath {
  path: string
  status: number
}

export type Exposure = ExposedPath | 'refused' | 'unreachable'

/**
 * Requests the guarded paths under the public address without credentials, and returns the first
 * that answers. Never throws.
 */
export async function findExposure(baseUrl: string): Promise<Exposure> {
  for (const path of GUARDED_PATHS) {
    const exposure = await probe(baseUrl, path)
    if (exposure !== 'refused') return exposure
  }
  return 'refused'
}

async function probe(baseUrl: string, path: string): Promise<Exposure> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  let address = baseUrl + path
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await fetch(address, { redirect: 'manual', signal }).catch(() => undefined)
    if (answer === undefined) return 'unreachable'
    await answer.body?.cancel()
    const location = answer.headers.get('location')
    if (location === null) return classifyStatus(path, answer.status)
    const next = URL.parse(location, address)
    // A sign-in page has another path. The same path under another scheme or host is still this
    // service.
    if (next?.pathname !== path) return 'refused'
    address = next.href
  }
  return 'refused'
}

function classifyStatus(path: string, status: number): Exposure {
  if (REFUSAL_STATUSES.has(status)) return 'refused'
  return UNREACHABLE_STATUSES.has(status) ? 'unreachable' : { path, status }
}

/** Describes the problem and its remedy in one sentence. */
export function explainExposure(baseUrl: string, { path, status }: ExposedPath): string {
  const access = path.startsWith('/_/admin') ? 'set LINKS_ACCESS to jwt or header, and ' : ''
  return `${baseUrl} answers ${status} at ${path} without authentication: ${access}make the proxy send X-Forwarded-For`
}
