import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import { isLoopbackHost } from '@latchkey/http/safe-url'
import { explainExposure, findExposure } from '../access/exposure.ts'
import { createKeySet } from '../access/key-set.ts'
import type { Settings } from '../settings.ts'

const LOCAL = new Set(['127.0.0.1', '::1', 'localhost'])
const EVERYONE = new Set(['0.0.0.0/0', '::/0'])

/** Who may use the admin side (L16). */
export async function checkAccess(settings: Settings): Promise<Finding> {
  const { access, accessHeader, accessJwksUrl, trustedProxies } = settings
  if (access === 'header')
    return trustedProxies.some((range) => EVERYONE.has(range))
      ? fail('access', 'TRUSTED_PROXIES lets everyone say who they are: name only the proxies themselves')
      : ok('access', `header: ${trustedProxies.join(', ')} may say in ${accessHeader} who is calling`)
  if (access === 'loopback') {
    const sentence = 'loopback: only this machine itself may open the admin side'
    return settings.baseUrl === null && LOCAL.has(settings.host)
      ? ok('access', sentence)
      : ok('access', `${sentence}; set LINKS_ACCESS to jwt or header to admit others`)
  }
  try {
    await createKeySet(accessJwksUrl ?? '').load()
    return ok('access', `jwt: the keys at ${accessJwksUrl} can be fetched`)
  } catch {
    return fail('access', `jwt: the keys at ${accessJwksUrl} cannot be fetched: check LINKS_ACCESS_JWKS_URL`)
  }
}

const ANSWER_WITHIN_MS = 5_000

/** Whether the public address leads here; before the first start it cannot. */
export async function checkPublicAddress({ baseUrl, proxyHeader }: Settings): Promise<Finding> {
  const name = 'address'
  if (baseUrl === null)
    return warn(
      name,
      'short URLs take their host from each request: set LINKS_BASE_URL to the public address',
    )
  const problem = await askHealth(baseUrl)
  if (problem !== undefined)
    return warn(name, `${baseUrl} ${problem}: start the service, or check the name and the proxy`)
  if (baseUrl.startsWith('http:') && !LOCAL.has(new URL(baseUrl).hostname))
    return warn(name, `${baseUrl} answers without encryption: put a proxy with HTTPS before it`)
  if (baseUrl.startsWith('https:') && proxyHeader === null)
    return warn(name, `${baseUrl} answers, but visitors' addresses are the proxy's: set PROXY_HEADER`)
  return ok(name, `${baseUrl} answers`)
}

/** Whether the public address keeps strangers from the admin side and the metrics, whatever the settings say. */
export async function checkAdminSide({ access, baseUrl }: Settings): Promise<Finding[]> {
  const name = 'admin'
  if (baseUrl === null) return []
  if (access === 'loopback' && isLoopbackHost(new URL(baseUrl).hostname))
    return [ok(name, `${baseUrl} is this machine itself, which may use the admin side`)]
  const exposure = await findExposure(baseUrl)
  if (exposure === 'unreachable') return [warn(name, `not checked: ${baseUrl} does not answer`)]
  return exposure === 'refused'
    ? [ok(name, `${baseUrl} refuses strangers at /_/admin and /_/metrics`)]
    : [fail(name, explainExposure(baseUrl, exposure))]
}

async function askHealth(baseUrl: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${baseUrl}/_/health`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const body: unknown = await response.json().catch(() => undefined)
    const isOurs = typeof body === 'object' && body !== null && 'status' in body && body.status === 'ok'
    return isOurs ? undefined : `answers with status ${response.status}, but not as Latchkey Links`
  } catch {
    return 'does not answer'
  }
}
