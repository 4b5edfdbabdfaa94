// The time that a callback waits for the provider (R4.5, R28.10, C44, C119).
import { afterEach, expect, test } from 'bun:test'
import { type ConsumedLoginState, completeLogin } from '../../src/login/callback.ts'
import { TIMEOUTS } from '../../src/login/outbound.ts'
import type { Provider } from '../../src/login/provider.ts'
import { seal } from '@latchkey/tokens/seal'
import { REDIRECT_URI, sha256 } from './hostile.ts'
import { type ProviderBench, NONCE, VERIFIER, openProviderBench, begin, failureOf } from './provider.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A bench whose callbacks have this timeout. */
async function waiting(loginMs: number): Promise<ProviderBench> {
  const at = await openProviderBench({ timeouts: { loginMs } })
  stops.push(() => at.stop())
  return at
}

/** The outcome of the second half of a callback, from the row that the first half has consumed. */
async function comeBack(at: ProviderBench, provider: Provider, meanwhile = () => {}): Promise<string> {
  const answer = await begin(at, provider)
  meanwhile()
  const state = answer.get('state') ?? ''
  const attempt = {
    state,
    config_fingerprint: provider.fingerprint,
    redirect_uri: REDIRECT_URI,
    verifier_sealed: seal(VERIFIER, state, 'pkce-verifier'),
    nonce_hash: Buffer.from(sha256(NONCE), 'base64url').toString('hex'),
  } as ConsumedLoginState
  const query = { state, code: answer.get('code'), iss: answer.get('iss') ?? undefined, error: null }
  return failureOf(completeLogin({ provider }, attempt, query))
}

const IN_TIME = 'provider_unavailable: no answer from the provider in time'
/** Each delay alone is within the timeout, together they are not. */
const EACH_MS = 60
const ALL_MS = 100

function slowDown({ idp }: ProviderBench): void {
  for (const endpoint of ['token', 'jwks', 'userinfo'] as const)
    idp.answer(endpoint, async (usual) => {
      await Bun.sleep(EACH_MS)
      return usual()
    })
}

test('R28.10: tokens, keys and user-info that each arrive in time are given up if together they exceed the timeout', async () => {
  const at = await waiting(ALL_MS)
  slowDown(at)
  expect(await comeBack(at, at.provider())).toBe(IN_TIME)
  const patient = await waiting(10_000)
  slowDown(patient)
  expect(await comeBack(patient, patient.provider())).toBe('nothing failed')
})

test('C119: a provider that stops responding at any step delays the browser no longer than the timeout', async () => {
  for (const silent of ['metadata', 'token', 'jwks', 'userinfo'] as const) {
    const at = await waiting(ALL_MS)
    const outcome = await comeBack(at, at.provider(), () => {
      // Long enough for the metadata to expire, and short enough for the code to stay valid.
      at.clock.ms += 3_600_000
      at.idp.answer(silent, () => new Promise<Response>(() => {}))
    })
    expect([silent, outcome]).toEqual([silent, IN_TIME])
  }
})

test('the timeout of a real instance is ten seconds, in every mode', async () => {
  const at = await openProviderBench()
  stops.push(() => at.stop())
  for (const config of [at.idp.config(), at.idp.teamidpConfig(), at.idp.oauth2Config()])
    expect(at.provider(config).loginMs).toBe(10_000)
})

test('R4.5: a real instance has three seconds to connect, and a whole request less than the ten of a login', () => {
  expect(TIMEOUTS.connectMs).toBe(3_000)
  expect(TIMEOUTS.callMs).toBeGreaterThan(9_000)
  expect(TIMEOUTS.callMs).toBeLessThan(10_000)
})
