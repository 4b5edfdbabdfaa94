import { expect, test } from 'bun:test'
import { unseal } from '@latchkey/tokens/seal'
import { ALICE } from '../provider/hostile.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'
import { CLICK_HEADERS, dump, locationOf, target } from './steps.ts'

/** The text of a whole response. */
async function wire(answer: Response): Promise<string> {
  return JSON.stringify([...answer.headers]) + (await answer.text())
}

/** The secrets between the service and the provider, as the provider knows them. */
function secretsOf(t: TestRooms): Record<'verifier' | 'access token' | 'code', string[]> {
  const token = t.idp.requests.filter(({ endpoint }) => endpoint === 'token')
  const userinfo = t.idp.requests.filter(({ endpoint }) => endpoint === 'userinfo')
  return {
    verifier: token.map(({ form }) => form.get('code_verifier') ?? ''),
    code: token.map(({ form }) => form.get('code') ?? ''),
    'access token': userinfo.map(({ headers }) =>
      (headers.get('authorization') ?? '').replace('Bearer ', ''),
    ),
  }
}

async function captureIdTokens(t: TestRooms): Promise<string[]> {
  const idTokens: string[] = []
  t.idp.token((answer) => {
    idTokens.push(String(answer['id_token']))
    return answer
  })
  return idTokens
}

async function walk(t: TestRooms, browser: Browser, bend = (url: URL) => url) {
  const started = await browser.send('/api/auth/login?returnTo=/rooms/7', { headers: CLICK_HEADERS })
  const authorization = locationOf(started)
  const callback = bend(new URL(t.idp.authorize(authorization.href, ALICE)))
  const finished = await browser.send(callback.href)
  return { authorization, callback, answers: [started, finished] }
}

test('C48: no token reaches the browser; only the ID token is stored, sealed under the session cookie', async () => {
  const t = await openRooms()
  const idTokens = await captureIdTokens(t)
  const browser = t.browser()
  const { answers } = await walk(t, browser)
  answers.push(await browser.send('/api/session'), await browser.send('/api/sessions'))
  const seen = (await Promise.all(answers.map(wire))).join('\n')
  const { code, ...secrets } = secretsOf(t)
  const stored = JSON.stringify(await dump(t.rooms))
  for (const secret of [
    ...idTokens,
    ...idTokens.flatMap((token) => token.split('.')),
    ...Object.values(secrets).flat(),
  ]) {
    expect(secret.length).toBeGreaterThan(16)
    expect(seen).not.toContain(secret)
    expect(stored).not.toContain(secret)
  }
  expect(stored).not.toContain(code[0] ?? 'no code')
  expect(stored).not.toContain(browser.token ?? 'no token')
  const [session] = (await dump(t.rooms)).sessions
  expect(unseal(String(session?.['id_token_sealed']), browser.token ?? '', 'id-token')).toBe(
    idTokens[0] ?? '',
  )
  await t.close()
})

test('R6.9 C38: codes, states, nonces, verifiers, tokens and cookies never reach log, metrics, audit or error texts', async () => {
  const t = await openRooms({ settings: { metricsToken: 'metrics-token-of-the-test' } })
  const idTokens = await captureIdTokens(t)
  const browsers: Browser[] = []
  const secrets: string[] = []
  const bends: ((url: URL) => URL)[] = [
    (url) => url,
    (url) => with_(url, 'iss', 'https://evil.example'),
    (url) => with_(url, 'code', 'stolen-code-0123456789'),
    (url) => with_(url, 'error', 'access_denied'),
    (url) => with_(url, 'state', 'stolen-state-0123456789'),
    (url) => new URL(`${url.href}&code=another-code-0123456789`),
    (url) => new URL(`${url.href}&x=%ff`),
  ]
  const outputs: string[] = []
  for (const bend of bends) {
    const browser = t.browser()
    browsers.push(browser)
    const { authorization, callback, answers } = await walk(t, browser, bend)
    // The state belongs to the redirect to the provider. Its address may contain it, and nothing
    // after it.
    outputs.push(await wire(answers[1] ?? new Response()))
    for (const { searchParams } of [authorization, callback])
      for (const name of ['state', 'nonce', 'code', 'code_challenge'])
        secrets.push(...searchParams.getAll(name))
  }
  t.idp.answer('token', () =>
    Response.json({ error: 'invalid_grant', error_description: 'token-0123456789abcdef' }, { status: 400 }),
  )
  await walk(t, t.browser())
  t.idp.answer('token', () => new Response('{"access_token": "broken-0123456789abcdef', { status: 200 }))
  await walk(t, t.browser())
  for (const browser of browsers) secrets.push(...browser.cookies.values())
  secrets.push(
    ...Object.values(secretsOf(t)).flat(),
    ...idTokens.flatMap((token) => [token, ...token.split('.')]),
  )
  const metrics = await t
    .browser()
    .send('/api/metrics', { headers: { authorization: 'Bearer metrics-token-of-the-test' } })
  expect(metrics.status).toBe(200)
  outputs.push(await metrics.text(), t.logLines.join(''), JSON.stringify((await dump(t.rooms)).audit_events))
  const output = outputs.join('\n').replaceAll(/\["set-cookie","[^"]*"\]/g, '')
  for (const secret of [...secrets, 'token-0123456789abcdef', 'broken-0123456789abcdef'])
    if (secret.length > 15) expect(output).not.toContain(secret)
  expect(secrets.filter((secret) => secret.length > 15).length).toBeGreaterThan(40)
  expect(target(await t.browser().send('/api/auth/callback'))).toBe('/login?error=state_invalid')
  await t.close()
})

function with_(url: URL, name: string, value: string): URL {
  url.searchParams.set(name, value)
  return url
}
