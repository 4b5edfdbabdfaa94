// A provider client in front of a hostile provider, on a clock that tests set.
import { createHash } from 'node:crypto'
import { createProvider } from '../../src/login/create-provider.ts'
import type { ProviderOptions } from '../../src/login/create-provider.ts'
import type { ProviderConfig } from '../../src/identity/provider-config.ts'
import { LoginFailure, type Provider, type ProviderIdentity } from '../../src/login/provider.ts'
import { ALICE, type HostileProvider, type Person, REDIRECT_URI, hostileProvider, sha256 } from './hostile.ts'

export interface ProviderBench {
  readonly idp: HostileProvider
  readonly clock: { ms: number }
  /** The log lines, as JSON. */
  readonly logLines: string[]
  /** The observed metrics: endpoint and outcome. */
  readonly measurements: string[]
  /** The client, configured for this provider. */
  provider(config?: ProviderConfig): Provider
  stop(): Promise<void>
}

export async function openProviderBench(
  options: Pick<ProviderOptions, 'outbound' | 'timeouts'> = {},
): Promise<ProviderBench> {
  const clock = { ms: Date.UTC(2026, 10, 21, 12) }
  const now = () => clock.ms
  const idp = await hostileProvider({ now })
  const logLines: string[] = []
  const measurements: string[] = []
  const write = (message: string, fields?: object) =>
    void logLines.push(JSON.stringify({ message, ...fields }))
  return {
    idp,
    clock,
    logLines,
    measurements,
    provider: (config = idp.config()) =>
      createProvider(config, {
        log: { info: write, warn: write, error: write },
        now,
        metrics: {
          observeProvider: (endpoint, outcome) => void measurements.push(`${endpoint} ${outcome}`),
          countKeySetFetch: () => void measurements.push('key set'),
        },
        ...options,
      }),
    stop: () => idp.stop(),
  }
}

export const VERIFIER = 'a-verifier-of-at-least-forty-three-characters-as-rfc-7636-demands'
export const NONCE = 'nonce-of-this-login'

/** Starts a login and lets the person agree. Returns the parameters of the callback. */
export async function begin(
  { idp }: Pick<ProviderBench, 'idp'>,
  provider: Provider,
  { person = ALICE, nonce = NONCE }: { person?: Person; nonce?: string } = {},
): Promise<URLSearchParams> {
  const codeChallenge = (await provider.usesPkce()) ? sha256(VERIFIER) : null
  const request = { state: 'state-1', nonce, codeChallenge, redirectUri: REDIRECT_URI, prompt: null }
  const url = await provider.authorizationUrl(request)
  return new URL(idp.authorize(url, person)).searchParams
}

/** A whole login, as the callback performs it. */
export async function login(
  at: Pick<ProviderBench, 'idp'>,
  provider: Provider,
  person: Person = ALICE,
): Promise<ProviderIdentity> {
  const answer = await begin(at, provider, { person })
  await provider.checkIssuerParameter(answer.get('iss') ?? undefined)
  return redeem(provider, answer.get('code') ?? '')
}

export async function redeem(provider: Provider, code: string, nonce = NONCE): Promise<ProviderIdentity> {
  return provider.redeem({
    code,
    redirectUri: REDIRECT_URI,
    codeVerifier: (await provider.usesPkce()) ? VERIFIER : null,
    nonceHash: provider.mode === 'oauth2' ? null : createHash('sha256').update(nonce).digest('hex'),
  })
}

/** The failure of a login in which this endpoint never responds, and the number of its requests. */
export async function failureOfSilent(
  endpoint: keyof HostileProvider['calls'],
  config = (idp: HostileProvider): ProviderConfig => idp.config(),
): Promise<{ requestCount: number; failure: string }> {
  // On a busy machine the request may take longer than this to arrive.
  for (let callMs = 1_500; ; callMs *= 2) {
    const at = await openProviderBench({ outbound: { callMs } })
    at.idp.answer(endpoint, () => new Promise<Response>(() => {}))
    const failure = await failureOf(login(at, at.provider(config(at.idp))))
    const requestCount = at.idp.calls[endpoint]
    await at.stop()
    if (requestCount > 0) return { requestCount, failure }
  }
}

/** A failure as `code: reason`. Any error other than `LoginFailure` is thrown again. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (error instanceof LoginFailure) return `${error.code}: ${error.reason}`
    throw error
  }
  return 'nothing failed'
}
