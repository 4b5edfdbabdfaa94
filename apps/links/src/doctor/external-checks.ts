import { networkInterfaces } from 'node:os'
import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import { isLoopbackHost } from '@latchkey/http/safe-url'
import { type ExposedPath, explainExposure, findExposure } from '../access/exposure.ts'
import { createKeySet } from '../access/key-set.ts'
import { createRevocationReader } from '../access/revocations.ts'
import { originOfDomain } from '../urls/host.ts'
import { ROBOTS_FILES } from '../http/root-files.ts'
import type { Settings } from '../settings/settings.ts'

const LOOPBACK_HOSTS = new Set(['127.0.0.1', '::1', 'localhost'])
const ALL_ADDRESSES = new Set(['0.0.0.0/0', '::/0'])

/** Checks who may use the admin side (L16). */
export async function checkAccess(settings: Settings): Promise<Finding> {
  const { access, accessHeader, accessJwksUrl, trustedProxies } = settings
  if (access === 'header')
    return trustedProxies.some((range) => ALL_ADDRESSES.has(range))
      ? fail('access', 'TRUSTED_PROXIES allows every client to choose its identity: list only your proxies')
      : ok('access', `header: ${trustedProxies.join(', ')} may set the identity in ${accessHeader}`)
  if (access === 'loopback') {
    const message = 'loopback: only this machine can open the admin side'
    return settings.baseUrl === null && LOOPBACK_HOSTS.has(settings.host)
      ? ok('access', message)
      : ok('access', `${message}; set LINKS_ACCESS to jwt or header to admit others`)
  }
  try {
    await createKeySet(accessJwksUrl ?? '').load()
  } catch {
    return fail('access', `jwt: the keys at ${accessJwksUrl} cannot be fetched: check LINKS_ACCESS_JWKS_URL`)
  }
  return checkRevocations(settings)
}

const ANSWER_TIMEOUT_MS = 5_000

/** Checks that the access layer says which sessions have ended, if it is to say so (L16.7). */
async function checkRevocations(settings: Settings): Promise<Finding> {
  const { accessJwksUrl, accessRevocationsUrl } = settings
  const keys = `jwt: the keys at ${accessJwksUrl} can be fetched`
  const read = createRevocationReader(settings)
  if (!read) return ok('access', keys)
  try {
    await read(undefined, AbortSignal.timeout(ANSWER_TIMEOUT_MS))
    return ok('access', `${keys}, and the ended sessions at ${accessRevocationsUrl} read`)
  } catch (error) {
    return fail(
      'access',
      `jwt: the ended sessions at ${accessRevocationsUrl} cannot be read (${String(error).split('\n')[0]}): check LINKS_ACCESS_REVOCATIONS_URL, LINKS_ACCESS_SERVICE_KEY and the same settings of the access layer`,
    )
  }
}

/** Checks that the public address leads to this instance. Before the first start it cannot. */
export async function checkPublicAddress({ baseUrl, proxyHeader }: Settings): Promise<Finding> {
  const name = 'address'
  if (baseUrl === null)
    return warn(
      name,
      'short URLs take their host from each request: set LINKS_BASE_URL to the public address',
    )
  const problem = await checkHealth(baseUrl)
  if (problem !== undefined)
    return warn(name, `${baseUrl} ${problem}: start the service, or check its host name and the proxy`)
  if (baseUrl.startsWith('http:') && !LOOPBACK_HOSTS.has(new URL(baseUrl).hostname))
    return warn(name, `${baseUrl} answers without encryption: put an HTTPS proxy in front of it`)
  if (baseUrl.startsWith('https:') && proxyHeader === null)
    return warn(
      name,
      `${baseUrl} answers, but all visitors appear to have the proxy's address: set PROXY_HEADER`,
    )
  return ok(name, `${baseUrl} answers`)
}

/**
 * Checks that the public address keeps strangers from the admin side and the metrics, whatever the
 * settings are.
 */
export async function checkAdminSide(settings: Settings): Promise<Finding[]> {
  const { access, baseUrl } = settings
  const name = 'admin'
  if (access === 'loopback' && (baseUrl === null || isLoopbackHost(new URL(baseUrl).hostname)))
    return checkLocalProxies(settings)
  if (baseUrl === null) return []
  const exposure = await findExposure(baseUrl)
  if (exposure === 'unreachable') return [warn(name, `not checked: ${baseUrl} does not answer`)]
  return exposure === 'refused'
    ? [ok(name, `${baseUrl} refuses unauthenticated requests at /_/admin and /_/metrics`)]
    : [fail(name, explainExposure(baseUrl, exposure))]
}

/**
 * Looks for proxies on this machine that add no header, behind which everyone looks like this
 * machine. The settings do not name them.
 */
async function checkLocalProxies({ baseUrl, port }: Settings): Promise<Finding[]> {
  const name = 'admin'
  const base = baseUrl === null ? undefined : new URL(baseUrl)
  const basePort = base && Number(base.port || (base.protocol === 'https:' ? 443 : 80))
  const isProxied = port !== 0 && basePort !== undefined && basePort !== port
  for (const origin of originsOnNetwork(isProxied ? [basePort] : [])) {
    const exposure = await findOwnExposure(origin)
    if (exposure) return [fail(name, explainExposure(origin, exposure))]
  }
  if (baseUrl === null) return []
  const exposure = isProxied ? await findOwnExposure(baseUrl) : undefined
  return exposure
    ? [warn(name, `${explainExposure(baseUrl, exposure)}, or let only this machine reach it`)]
    : [ok(name, `${baseUrl} is this machine, which may use the admin side`)]
}

/** The origins at which others would reach a proxy on this machine. */
function originsOnNetwork(ports: readonly number[]): string[] {
  const hosts = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
  const origins = (host: string) => [80, ...ports].map((port) => `http://${host}:${port}`)
  return hosts.flatMap((host) => [...origins(host), `https://${host}`])
}

/** The exposed path of this service at an origin; undefined for other services. */
async function findOwnExposure(origin: string): Promise<ExposedPath | undefined> {
  if ((await checkHealth(origin)) !== undefined) return undefined
  const exposure = await findExposure(origin)
  return typeof exposure === 'string' ? undefined : exposure
}

/** Checks that each further domain leads to this instance. */
export async function checkDomains({ baseUrl, domains }: Settings): Promise<Finding[]> {
  const name = 'domains'
  if (domains.length === 0) return []
  if (baseUrl === null)
    return [warn(name, 'not checked: set LINKS_BASE_URL to the public address of the default domain')]
  return Promise.all(
    domains.map(async (domain) => {
      const origin = originOfDomain(baseUrl, domain)
      return (await isServed(origin))
        ? ok(name, `${origin} answers`)
        : warn(name, `${origin} does not answer as this instance: check its DNS records and the proxy`)
    }),
  )
}

/** Whether the origin has the file for search engines as Links serves it. */
async function isServed(origin: string): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/robots.txt`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    const text = await response.text()
    return response.ok && Object.values(ROBOTS_FILES).includes(text)
  } catch {
    return false
  }
}

async function checkHealth(baseUrl: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${baseUrl}/_/health`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    const body: unknown = await response.json().catch(() => undefined)
    const isOurs = typeof body === 'object' && body !== null && 'status' in body && body.status === 'ok'
    return isOurs ? undefined : `answers with status ${response.status}, but not as Latchkey Links`
  } catch {
    return 'does not answer'
  }
}
