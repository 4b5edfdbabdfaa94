/** What no stranger may read: a part of the admin side, and the figures of the instance. */
const GUARDED_PATHS = ['/_/admin/api/settings', '/_/metrics'] as const
const ANSWER_TIMEOUT_MS = 5_000
const MAX_REDIRECTS = 5
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 404])
/** What a proxy says in the place of a service that does not run. */
const UNREACHABLE_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

/** A path that answers without authentication. */
export interface ExposedPath {
  path: string
  status: number
}

export type Exposure = ExposedPath | 'refused' | 'unreachable'

/** Asks for what is guarded under the public address, without credentials; finds the first that answers. Never fails. */
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
    // A sign-in page is somewhere else. The same path under another scheme or name is still this service.
    if (next?.pathname !== path) return 'refused'
    address = next.href
  }
  return 'refused'
}

function classifyStatus(path: string, status: number): Exposure {
  if (REFUSAL_STATUSES.has(status)) return 'refused'
  return UNREACHABLE_STATUSES.has(status) ? 'unreachable' : { path, status }
}

/** What is wrong and what to do, in one sentence. */
export function explainExposure(baseUrl: string, { path, status }: ExposedPath): string {
  const access = path.startsWith('/_/admin') ? 'set LINKS_ACCESS to jwt or header, and ' : ''
  return `${baseUrl} answers ${status} at ${path} without authentication: ${access}make the proxy send X-Forwarded-For`
}
