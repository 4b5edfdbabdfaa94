// Tries the identity provider: its metadata, and whether it knows Rooms.
import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import { createLog } from '@latchkey/http/log'
import { checkProvider, checkProviderClock } from '@latchkey/rooms/doctor/external-checks'
import { createProvider } from '@latchkey/rooms/login/create-provider'
import { createLoginSecrets } from '@latchkey/rooms/login/login-state'
import { LoginFailure, type Provider } from '@latchkey/rooms/login/provider'
import { registeredAddresses } from '@latchkey/rooms/login/registered-addresses'
import { createMetrics } from '@latchkey/rooms/metrics'
import type { Settings } from '@latchkey/rooms/settings/settings'
import { hashToken } from '@latchkey/tokens/opaque'

const ANSWER_TIMEOUT_MS = 10_000
const MAX_ERROR_LENGTH = 64

/** Checks the provider as `latchkey doctor` does, then the client that is registered there. */
export async function checkIdentityProvider(settings: Settings): Promise<Finding[]> {
  const findings = await checkProvider(settings, Date.now)
  if (findings.some(({ level }) => level === 'fail')) return findings
  const provider = createProvider(settings.provider, {
    log: createLog({ write: () => {} }),
    now: Date.now,
    metrics: createMetrics(),
  })
  const { redirectUri } = registeredAddresses(settings.allowedHosts[0], false)
  return [
    ...findings,
    await checkProviderClock(settings, Date.now),
    await checkRedirectUri(provider, redirectUri),
    ...(settings.provider.clientSecret === null ? [] : [await checkClientSecret(provider, redirectUri)]),
  ]
}

/**
 * Begins a login as a browser would. Providers refuse an address that is not registered with an error
 * status, and without leading back to it.
 */
async function checkRedirectUri(provider: Provider, redirectUri: string): Promise<Finding> {
  const name = 'redirect'
  const { state, nonce, verifier } = createLoginSecrets()
  const codeChallenge = (await provider.usesPkce())
    ? Buffer.from(hashToken(verifier), 'hex').toString('base64url')
    : null
  try {
    const url = await provider.authorizationUrl({ state, nonce, codeChallenge, redirectUri, prompt: null })
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
    await answer.body?.cancel()
    const location = answer.headers.get('location') ?? ''
    const error = location.startsWith(redirectUri)
      ? URL.parse(location)?.searchParams.get('error')?.slice(0, MAX_ERROR_LENGTH)
      : undefined
    if (error)
      return fail(name, `the provider refuses the login (${error}): compare the client with the steps above`)
    return answer.status >= 400 || /\berror\b/.test(location)
      ? fail(name, `the provider refuses it: register ${redirectUri}, exactly so, for this client id`)
      : ok(name, `the provider begins a login that ends at ${redirectUri}`)
  } catch {
    return warn(name, 'not checked: the authorization endpoint does not answer')
  }
}

/** Codes with which providers refuse a client, of RFC 6749 and of GitHub. */
const CLIENT_ERRORS: readonly unknown[] = [
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
]

/** Exchanges a code that no one issued: providers check the client before the code. */
async function checkClientSecret(provider: Provider, redirectUri: string): Promise<Finding> {
  const name = 'secret'
  const { state, nonce, verifier } = createLoginSecrets()
  try {
    await provider.redeem({ code: state, redirectUri, codeVerifier: verifier, nonceHash: hashToken(nonce) })
  } catch (error) {
    if (!(error instanceof LoginFailure)) throw error
    const { status, error: code } = error.detail
    if (CLIENT_ERRORS.includes(code) || status === 401)
      return fail(name, 'the provider refuses the client id with this client secret: compare both')
    if (error.code === 'provider_error') return ok(name, 'the provider accepts the client secret')
    return warn(name, `not checked: ${error.reason}`)
  }
  return warn(name, 'not checked: the provider accepts any code')
}
