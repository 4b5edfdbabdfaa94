import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import { createLog } from '@latchkey/http/log'
import { createMetrics } from '../metrics.ts'
import { createProvider } from '../login/create-provider.ts'
import type { Provider } from '../login/provider.ts'
import type { ProviderConfig } from '../identity/provider-config.ts'
import type { Settings } from '../settings/settings.ts'
import { findOpenProvider } from '../identity/open-provider.ts'
import { registeredAddresses } from '../login/registered-addresses.ts'

const EVERYONE = new Set(['0.0.0.0/0', '::/0'])

/** Checks the hosts of the service, and which proxies may set the client address. */
export function* checkHosts({ allowedHosts, proxyHeader, trustedProxies }: Settings): Generator<Finding> {
  yield ok('hosts', `users reach it at ${allowedHosts.join(', ')}; logins end at the first`)
  if (proxyHeader === null) {
    const isPublic = allowedHosts.some((origin) => origin.startsWith('https:'))
    yield isPublic
      ? warn(
          'proxy',
          'PROXY_HEADER is unset: behind a proxy, rate limits would count all users as one address',
        )
      : ok('proxy', 'none: the address of a client is that of its connection')
    return
  }
  yield trustedProxies.some((range) => EVERYONE.has(range))
    ? fail('proxy', 'TRUSTED_PROXIES allows every client to choose its address: list only your proxies')
    : ok(
        'proxy',
        `${trustedProxies.join(', ')} may set the client address in ${proxyHeader}; they must remove it from client requests`,
      )
}

/** Checks that not everyone in the world can sign in. */
export function checkConditions({ provider }: Settings): Finding {
  const name = 'conditions'
  const openProvider = findOpenProvider(provider)
  if (openProvider !== null)
    return fail(name, `everyone with an account at ${openProvider} can sign in: set AUTH_REQUIRE`)
  if (provider.conditions.some(({ path }) => path === null) && !provider.scopes.includes('email'))
    return warn(
      name,
      'email_domain needs an address, which many providers send only for the scope email: add it to AUTH_SCOPES',
    )
  const texts = provider.conditions.map(({ text }) => text)
  return texts.length > 0
    ? ok(name, `only people whose claims meet ${texts.join(' and ')} can sign in`)
    : ok(name, 'none: everyone whom the provider signs in has an account')
}

/** Checks that the provider can be used, and describes the login flow. */
export async function checkProvider(settings: Settings, now: () => number): Promise<Finding[]> {
  const log = createLog({ write: () => {} })
  const provider = createProvider(settings.provider, { log, now, metrics: createMetrics() })
  const { mode, issuer, discovery, pkce, tokenAuthMethod, idTokenAlg, endpoints } = await provider.status()
  if (!discovery.ok) return [fail('provider', `${mode} ${issuer}: ${discovery.error}`)]
  const algorithm = idTokenAlg === null ? '' : `, ID tokens signed with ${idTokenAlg}`
  const listed = Object.entries(endpoints).map(([name, address]) => `${name} ${address}`)
  return [
    ok('provider', `${mode} ${issuer} answers; ${listed.join(', ')}`),
    pkce === 'none'
      ? warn('login', `without PKCE, protected by the client secret alone (${tokenAuthMethod})${algorithm}`)
      : ok('login', `PKCE ${pkce}, client authentication ${tokenAuthMethod}${algorithm}`),
    ...(await checkKeys(provider)),
  ]
}

async function checkKeys(provider: Provider): Promise<Finding[]> {
  try {
    const count = await provider.countKeys()
    if (count === null) return []
    return [
      count > 0
        ? ok('keys', `${count} of the published keys can verify its tokens`)
        : fail(
            'keys',
            'none of the published keys can verify its tokens: every login would be refused; check AUTH_ID_TOKEN_ALG',
          ),
    ]
  } catch (error) {
    return [fail('keys', `cannot be fetched (${error instanceof Error ? error.message : String(error)})`)]
  }
}

const CLOCK_TIMEOUT_MS = 5_000
/** The clock difference that tokens may have (R7.3). */
const TOLERANCE_S = 30

/** Compares the clocks. Tokens are refused if they differ. */
export async function checkProviderClock({ provider }: Settings, now: () => number): Promise<Finding> {
  const name = 'clock'
  try {
    const response = await fetch(addressOf(provider), {
      redirect: 'manual',
      signal: AbortSignal.timeout(CLOCK_TIMEOUT_MS),
    })
    await response.body?.cancel()
    const providerTime = Date.parse(response.headers.get('date') ?? '')
    if (Number.isNaN(providerTime)) return warn(name, 'not compared: the provider sends no valid Date header')
    const ahead = Math.round((providerTime - now()) / 1000)
    if (Math.abs(ahead) <= TOLERANCE_S)
      return ok(name, `agrees with the provider's to within ${Math.abs(ahead)} s`)
    return fail(name, `differs from the provider's by ${Math.abs(ahead)} s: its tokens would be refused`)
  } catch {
    return warn(name, 'not compared with the provider: it does not answer')
  }
}

function addressOf(provider: ProviderConfig): string {
  return provider.mode === 'oauth2'
    ? new URL(provider.authorizationEndpoint).origin
    : `${provider.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/** Lists the URLs to register at the provider, exactly as written. */
export function* checkAddresses(settings: Settings): Generator<Finding> {
  const { redirectUri, backchannelLogoutUri, postLogoutRedirectUri } = registeredAddresses(
    settings.allowedHosts[0],
    settings.provider.mode !== 'oauth2' && settings.provider.backchannelLogout,
  )
  yield ok('register', `redirect URI: ${redirectUri}`)
  if (settings.provider.mode !== 'oauth2')
    yield ok('register', `post-logout redirect URI: ${postLogoutRedirectUri}`)
  if (backchannelLogoutUri !== null) yield ok('register', `back-channel logout URI: ${backchannelLogoutUri}`)
}
