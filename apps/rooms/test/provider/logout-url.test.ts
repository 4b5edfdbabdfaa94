import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { CLIENT_ID } from './hostile.ts'
import { type ProviderBench, openProviderBench, begin } from './provider.ts'

let at: ProviderBench
beforeAll(async () => {
  at = await openProviderBench()
})
afterEach(() => at.idp.reset())
afterAll(() => at.stop())

const OPTIONS = { idToken: 'a.b.c', postLogoutRedirectUri: 'https://rooms.example.com', state: 'state-1' }

test('C117: the URL has hint, client, return address and state, and keeps its own parameters (oidcc-client-test-rp-init-logout)', async () => {
  at.idp.metadata((document) => ({
    ...document,
    end_session_endpoint: `${at.idp.issuer}/end?tenant=a&state=x`,
  }))
  for (const config of [at.idp.config(), at.idp.teamidpConfig()]) {
    const url = new URL((await at.provider(config).logoutUrl(OPTIONS))!)
    expect(url.origin + url.pathname).toBe(`${at.idp.issuer}/end`)
    expect([...url.searchParams]).toEqual([
      ['tenant', 'a'],
      ['state', 'state-1'],
      ['client_id', CLIENT_ID],
      ['post_logout_redirect_uri', 'https://rooms.example.com'],
      ['id_token_hint', 'a.b.c'],
    ])
  }
})

test('R12.2: AUTH_LOGOUT_REDIRECT_PARAMETER renames the parameter of the return address', async () => {
  const config = at.idp.config({ logoutRedirectParameter: 'logout_uri' })
  const { searchParams } = new URL((await at.provider(config).logoutUrl(OPTIONS))!)
  expect(searchParams.get('logout_uri')).toBe('https://rooms.example.com')
  expect(searchParams.has('post_logout_redirect_uri')).toBe(false)
})

test('C117: there is none if none is advertised, and none in oauth2 mode', async () => {
  expect(await at.provider(at.idp.oauth2Config()).logoutUrl(OPTIONS)).toBeNull()
  for (const end_session_endpoint of [undefined, null]) {
    at.idp.metadata((document) => ({ ...document, end_session_endpoint }))
    expect(await at.provider().logoutUrl(OPTIONS)).toBeNull()
  }
})

test('C117: the hint is omitted if the URL would exceed 8 KiB, or if there is no ID token', async () => {
  const provider = at.provider()
  const hintOf = async (idToken: string | null) =>
    new URL((await provider.logoutUrl({ ...OPTIONS, idToken }))!).searchParams.get('id_token_hint')
  const rest = (await provider.logoutUrl({ ...OPTIONS, idToken: 'x' }))!.length - 1
  const longest = 'x'.repeat(8 * 1024 - rest)
  expect(await hintOf(longest)).toBe(longest)
  expect(await hintOf(`${longest}x`)).toBeNull()
  expect(await hintOf('x'.repeat(12 * 1024))).toBeNull()
  expect(await hintOf(null)).toBeNull()
})

test('C117: there is none, soon, if the provider is down or does not respond', async () => {
  const impatient = await openProviderBench({ timeouts: { pageMs: 30 }, outbound: { callMs: 3_600_000 } })
  impatient.idp.answer('metadata', () => new Promise<Response>(() => {}))
  expect(await impatient.provider().logoutUrl(OPTIONS)).toBeNull()
  impatient.idp.answer('metadata', () => new Response('no', { status: 503 }))
  expect(await impatient.provider().logoutUrl(OPTIONS)).toBeNull()
  const client = impatient.provider()
  impatient.idp.reset()
  // Through a call with a longer timeout than that of a page, because here the metadata must
  // arrive.
  await begin(impatient, client)
  await impatient.idp.stop()
  expect(await client.logoutUrl(OPTIONS)).not.toBeNull()
})
