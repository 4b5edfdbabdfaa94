import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLog } from '@latchkey/http/log'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { logNotices } from '../src/demo/notices.ts'
import { errorPage } from '../src/demo/pages.ts'
import { startDemoProvider } from '../src/demo/provider.ts'
import { Person, type Service, connect, startDemo, startService } from './demo-party.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

let service: Service
let issuer: string
let logged: string[]
let stop: () => Promise<void>
let relyingParty: Awaited<ReturnType<typeof connect>>

beforeAll(async () => {
  service = startService()
  const { demo, lines } = await startDemo(service)
  relyingParty = await connect(demo.issuer, service)
  issuer = demo.issuer
  logged = lines
  stop = () => demo.stop()
})
afterAll(async () => {
  await stop()
  await service.stop()
})
afterEach(() => {
  service.logoutTokens.length = 0
  service.answer.status = 200
})

/** Signs in by one button, and returns the tokens and claims of the service. */
async function signIn(person: Person, name: string, parameters: Record<string, string> = {}) {
  const attempt = await relyingParty.begin(parameters)
  const back = await person.press(await person.open(attempt.url), `Continue as ${name}`)
  return attempt.finish(back)
}

/** Signs in without a prompt. */
async function passThrough(person: Person) {
  const attempt = await relyingParty.begin()
  return attempt.finish(await person.pass(attempt.url))
}

describe('signing in at the demo provider', () => {
  const teams = {
    alice: [{ id: 'harbour', name: 'Harbour', role: 'owner' }],
    bob: [{ id: 'lighthouse', name: 'Lighthouse', role: 'co-owner' }],
    carol: [
      { id: 'harbour', name: 'Harbour', role: 'member' },
      { id: 'lighthouse', name: 'Lighthouse', role: 'member' },
    ],
  }
  for (const [word, name] of [
    ['alice', 'Alice'],
    ['bob', 'Bob'],
    ['carol', 'Carol'],
  ] as const)
    test(`takes one click as ${name}, with name, email and teams`, async () => {
      const { claims, userInfo } = await signIn(new Person(), name)
      expect(userInfo).toEqual({
        sub: `demo-${word}`,
        name,
        email: `${word}@demo.example`,
        teams: teams[word],
      })
      expect(claims).toMatchObject({ iss: issuer, aud: service.client.id, sub: `demo-${word}` })
      expect(claims['sid']).toBeString()
    })

  test('returns only the claims of the requested scopes', async () => {
    const { userInfo } = await signIn(new Person(), 'Alice', { scope: 'openid profile' })
    expect(userInfo).toEqual({ sub: 'demo-alice', name: 'Alice' })
  })

  test('offers all three users with their teams, and asks for no password', async () => {
    const { html } = await new Person().open((await relyingParty.begin()).url)
    for (const words of [
      'owner of Harbour',
      'co-owner of Lighthouse',
      'member of Harbour, member of Lighthouse',
    ])
      expect(html).toContain(words)
    expect(html).not.toContain('<input')
  })

  test('needs no prompt for a second login in the same browser, but does in another browser', async () => {
    const person = new Person()
    const first = await signIn(person, 'Bob')
    const second = await passThrough(person)
    expect(second.claims.sub).toBe('demo-bob')
    expect(second.claims['sid']).toBe(first.claims['sid'])
    expect((await new Person().open((await relyingParty.begin()).url)).html).toContain('Continue as Bob')
  })

  test('can be cancelled without a session', async () => {
    const person = new Person()
    const attempt = await relyingParty.begin()
    const back = await person.press(await person.open(attempt.url), 'Cancel')
    expect(back.origin + back.pathname).toBe(`${service.origin}/callback`)
    expect(back.searchParams.get('error')).toBe('access_denied')
    expect(back.searchParams.get('state')).toBe(attempt.url.searchParams.get('state'))
    expect(back.searchParams.get('iss')).toBe(issuer)
    expect(back.searchParams.has('code')).toBe(false)
    expect((await person.open((await relyingParty.begin()).url)).html).toContain('Continue as Alice')
  })

  test('prompts again with prompt=login, and shows the signed-in user', async () => {
    const person = new Person()
    await signIn(person, 'Alice')
    const attempt = await relyingParty.begin({ prompt: 'login' })
    const page = await person.open(attempt.url)
    expect(page.html).toContain('This browser is signed in as Alice.')
    const { claims } = await attempt.finish(await person.press(page, 'Continue as Alice'))
    expect(claims.sub).toBe('demo-alice')
    expect(service.logoutTokens).toEqual([])
  })

  test('changes the user with prompt=select_account, and sends the service a logout token for the first', async () => {
    const person = new Person()
    const alice = await signIn(person, 'Alice')
    const bob = await signIn(person, 'Bob', { prompt: 'select_account' })
    expect(bob.userInfo.sub).toBe('demo-bob')
    expect(bob.claims['sid']).not.toBe(alice.claims['sid'])
    expect(service.logoutTokens).toHaveLength(1)
    const { payload } = await verifyLogoutToken(service.logoutTokens[0])
    expect(payload).toMatchObject({ sub: 'demo-alice', sid: alice.claims['sid'] })
    expect((await passThrough(person)).claims.sub).toBe('demo-bob')
  })

  test('fails without a prompt with prompt=none', async () => {
    const back = await new Person().pass((await relyingParty.begin({ prompt: 'none' })).url)
    expect(back.searchParams.get('error')).toBe('login_required')
  })
})

describe('the demo provider refuses', () => {
  test('an unregistered redirect URI, on an error page', async () => {
    for (const redirect_uri of [
      `${service.origin}/callback/`,
      `${service.origin}/callback?a=b`,
      'http://localhost:1/callback',
      'https://evil.example/callback',
    ]) {
      const page = await new Person().open((await relyingParty.begin({ redirect_uri })).url)
      expect(page.status).toBe(400)
      expect(page.html).toContain('invalid_redirect_uri')
      expect(page.html).not.toContain('Continue as')
    }
  })

  test('a login without PKCE, or with the plain method', async () => {
    const without = (await relyingParty.begin()).url
    without.searchParams.delete('code_challenge')
    without.searchParams.delete('code_challenge_method')
    const plain = (await relyingParty.begin({ code_challenge_method: 'plain' })).url
    for (const url of [without, plain])
      expect((await new Person().pass(url)).searchParams.get('error')).toBe('invalid_request')
  })

  test('a code with the wrong verifier, and a redeemed code', async () => {
    const person = new Person()
    const [mine, other] = [await relyingParty.begin(), await relyingParty.begin()]
    const back = await person.press(await person.open(mine.url), 'Continue as Carol')
    const forged = new URL(back)
    forged.searchParams.set('state', other.url.searchParams.get('state') ?? '')
    expect(other.finish(forged)).rejects.toMatchObject({ error: 'invalid_grant' })
    const again = await relyingParty.begin()
    const backAgain = await person.pass(again.url)
    await again.finish(backAgain)
    expect(again.finish(backAgain)).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('an unknown user, and a form that is incomplete or too large', async () => {
    const person = new Person()
    const page = await person.open((await relyingParty.begin()).url)
    for (const value of ['demo-mallory', '', 'x'.repeat(5000)]) {
      const html = page.html.replace('demo-alice', value)
      const refused = await person.send({ ...page, html }, 'Continue as Alice')
      expect(refused).toMatchObject({ status: 400 })
    }
    // The interaction is not affected.
    expect((await person.press(page, 'Continue as Alice')).searchParams.has('code')).toBe(true)
  })

  test("another browser's choice, and a second choice", async () => {
    const person = new Person()
    const page = await person.open((await relyingParty.begin()).url)
    const stranger = await new Person().send(page, 'Continue as Alice')
    expect(stranger).toMatchObject({ status: 400 })
    await person.press(page, 'Continue as Alice')
    expect(await person.send(page, 'Continue as Bob')).toMatchObject({ status: 400 })
    expect((await passThrough(person)).claims.sub).toBe('demo-alice')
  })

  test('another host name that resolves to this machine', async () => {
    const { port } = new URL(issuer)
    for (const host of [`localhost:${port}`, `evil.example:${port}`, '127.0.0.1']) {
      const answer = await fetch(`${issuer}/.well-known/openid-configuration`, { headers: { host } })
      expect(answer.status).toBe(421)
      expect(await answer.text()).not.toContain('authorization_endpoint')
    }
  })
})

describe('signing out at the demo provider', () => {
  test('with an ID token needs no confirmation, and sends the service a verifiable logout token', async () => {
    const person = new Person()
    const { idToken, claims } = await signIn(person, 'Alice')
    const end = relyingParty.endSession({
      id_token_hint: idToken,
      post_logout_redirect_uri: service.origin,
      state: 'as it was',
    })
    const back = await person.pass(end)
    expect(back.href).toBe(`${service.origin}/?state=as+it+was`)
    expect(service.logoutTokens).toHaveLength(1)

    const { protectedHeader, payload } = await verifyLogoutToken(service.logoutTokens[0])
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'logout+jwt', kid: expect.any(String) })
    expect(Object.keys(payload).toSorted()).toEqual(
      ['aud', 'events', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub'].toSorted(),
    )
    expect(payload).toMatchObject({
      iss: issuer,
      aud: service.client.id,
      sub: 'demo-alice',
      sid: claims['sid'],
      events: { [EVENT]: {} },
    })
    expect(payload.jti).toMatch(/.{16}/)
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120)
    expect(payload).not.toHaveProperty('nonce')
    expect((await person.open((await relyingParty.begin()).url)).html).toContain('Continue as Alice')
  })

  test('without an ID token asks for confirmation, and ends nothing before it', async () => {
    const person = new Person()
    await signIn(person, 'Carol')
    const question = await person.open(relyingParty.endSession({ post_logout_redirect_uri: service.origin }))
    expect(question.html).toContain('This browser is signed in as Carol.')
    expect(service.logoutTokens).toEqual([])
    expect((await passThrough(person)).claims.sub).toBe('demo-carol')

    const again = await person.open(relyingParty.endSession({}))
    const end = await person.send(again, 'Sign out')
    expect(end).toMatchObject({ status: 200, html: expect.stringContaining('<h1>Signed out</h1>') })
    expect(service.logoutTokens).toHaveLength(1)
    expect((await person.open((await relyingParty.begin()).url)).html).toContain('Continue as Carol')
  })

  test("with another user's ID token asks for confirmation", async () => {
    const { idToken } = await signIn(new Person(), 'Alice')
    const person = new Person()
    await signIn(person, 'Bob')
    const page = await person.open(relyingParty.endSession({ id_token_hint: idToken }))
    expect(page.html).toContain('This browser is signed in as Bob.')
    expect(service.logoutTokens).toEqual([])
  })

  test('without a session redirects at once, and sends the service no logout token', async () => {
    const person = new Person()
    const { idToken } = await signIn(person, 'Bob')
    const end = relyingParty.endSession({
      id_token_hint: idToken,
      post_logout_redirect_uri: service.origin,
    })
    for (const each of [person, new Person()]) {
      await each.pass(end)
      service.logoutTokens.length = 0
      expect((await each.pass(end)).href).toBe(`${service.origin}/`)
      expect(service.logoutTokens).toEqual([])
    }
  })

  test('after a restart redirects as well, although the ID token is from an earlier run', async () => {
    const person = new Person()
    const { idToken } = await signIn(person, 'Alice')
    const { demo } = await startDemo(service)
    const next = await connect(demo.issuer, service)
    const end = next.endSession({ id_token_hint: idToken, post_logout_redirect_uri: service.origin })
    expect((await person.pass(end)).href).toBe(`${service.origin}/`)
    // Its keys are new, and the session of the earlier run is unknown.
    expect((await person.open((await next.begin()).url)).html).toContain('Continue as Alice')
    expect(await keyIds(demo.issuer)).not.toEqual(await keyIds(issuer))
    await demo.stop()
  })

  test('redirects to registered addresses only', async () => {
    const person = new Person()
    const { idToken } = await signIn(person, 'Alice')
    const page = await person.open(
      relyingParty.endSession({ id_token_hint: idToken, post_logout_redirect_uri: 'https://evil.example' }),
    )
    expect(page.status).toBe(400)
    expect(service.logoutTokens).toEqual([])
    expect((await passThrough(person)).claims.sub).toBe('demo-alice')
  })

  test('succeeds when the service rejects the logout token, and logs the failure', async () => {
    const person = new Person()
    const { idToken } = await signIn(person, 'Alice')
    service.answer.status = 503
    logged.length = 0
    await person.pass(
      relyingParty.endSession({ id_token_hint: idToken, post_logout_redirect_uri: service.origin }),
    )
    expect(service.logoutTokens).toHaveLength(1)
    expect(logged.join('')).toContain('cannot deliver a logout token')
    expect(logged.join('')).not.toContain(service.logoutTokens[0] ?? '')
    expect((await person.open((await relyingParty.begin()).url)).html).toContain('Continue as Alice')
  })
})

describe('every page of the demo provider', () => {
  test('names the demo, forbids scripts and frames, and is not cached', async () => {
    const person = new Person()
    const pages = {
      front: await person.open(`${issuer}/`),
      choice: await person.open((await relyingParty.begin()).url),
      missing: await person.open(`${issuer}/nowhere`),
      ended: await new Person().open(`${issuer}/interaction/unknown`),
      refused: await person.open((await relyingParty.begin({ redirect_uri: 'https://evil.example' })).url),
      signedOut: await person.open(`${issuer}/session/end/success`),
    }
    for (const { html, headers } of Object.values(pages)) {
      expect(html).toContain('<html lang="en">')
      expect(html).toContain('<strong>Demo identity provider.</strong> It runs only on this machine')
      expect(html).toContain('Don’t use\nit in production')
      expect(html).not.toContain('<script')
      expect(html).not.toContain('node_modules')
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toContain('no-store')
      const policy = headers.get('content-security-policy')?.split('; ') ?? []
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("base-uri 'none'")
      expect(policy).toContain(`form-action 'self' ${service.origin}`)
      expect(policy.join(' ')).not.toMatch(/script-src|unsafe/)
    }
    expect([pages.missing.status, pages.ended.status, pages.refused.status]).toEqual([404, 400, 400])
  })

  test('escapes parameters of the URL', async () => {
    const markup = '"><script>alert(1)</script>'
    for (const name of ['client_id', 'response_type', 'scope', 'prompt', 'redirect_uri', 'id_token_hint']) {
      const { url } = await relyingParty.begin({ [name]: markup })
      const answer = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } })
      expect(await answer.text()).not.toContain('<script')
    }
    expect(errorPage(markup, markup)).toEqual({
      title: '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;',
      content: expect.stringMatching(/^<p>&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/p>/),
    })
  })
})

describe('console output of oidc-provider', () => {
  const { console } = globalThis
  const { info, warn } = console
  const output: unknown[] = []
  const lines: string[] = []
  beforeEach(() => {
    Object.assign(console, { info: (...words: unknown[]) => void output.push(words), warn: output.push })
  })
  afterEach(() => {
    Object.assign(console, { info, warn })
  })

  test('goes to the log unless expected; other output, and all output after the stop, is not redirected', () => {
    const originalInfo = console.info
    const unlog = logNotices(createLog({ write: (line) => void lines.push(line) }))
    console.info('oidc-provider NOTICE: something new')
    console.warn('\u001B[31;1moidc-provider WARNING: Unsupported runtime. Use another.\u001B[0m')
    console.info('of others', 1)
    unlog()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('something new')
    expect(output).toEqual([['of others', 1]])
    expect(console.info).toBe(originalInfo)
  })
})

describe('the demo provider does not start', () => {
  const log = createLog({ write: () => {} })
  const environment = process.env['NODE_ENV']
  beforeEach(() => {
    process.env['NODE_ENV'] = environment ?? 'test'
  })
  afterAll(() => {
    process.env['NODE_ENV'] = environment ?? 'test'
  })

  test('in production', () => {
    process.env['NODE_ENV'] = 'production'
    expect(startDemoProvider({ port: 0, client: service.client, log })).rejects.toThrow(
      'The demo identity provider does not start with NODE_ENV=production: set AUTH_PROVIDER to an identity provider of your own',
    )
  })

  test('for a service on another machine', () => {
    const elsewhere = 'https://rooms.example'
    for (const part of [
      { redirectUris: [`${service.origin}/callback`, `${elsewhere}/callback`] },
      { postLogoutRedirectUris: [elsewhere] },
      { backchannelLogoutUri: `${elsewhere}/backchannel` },
    ])
      expect(startDemoProvider({ port: 0, client: { ...service.client, ...part }, log })).rejects.toThrow(
        /^The demo identity provider serves this machine only, not https:\/\/rooms\.example: set AUTH_PROVIDER/,
      )
  })

  test('on a port that is in use', () => {
    const port = Number(new URL(issuer).port)
    expect(startDemoProvider({ port, client: service.client, log })).rejects.toThrow(
      new RegExp(
        `^Port ${port} of 127\\.0\\.0\\.1, which .* needs \\(the port after ROOMS_PORT\\), is in use: .*set ROOMS_PORT`,
      ),
    )
  })
})

describe('the demo provider in its own process', () => {
  test('listens on loopback only, writes only its log, and bypasses the proxy for this machine', async () => {
    const module = join(import.meta.dir, '../src/demo/provider.ts')
    const program = `
      const { startDemoProvider } = await import(${JSON.stringify(module)})
      const { createLog } = await import('@latchkey/http/log')
      const demo = await startDemoProvider({ port: 0, client: ${JSON.stringify(service.client)}, log: createLog() })
      process.once('SIGTERM', () => void demo.stop())`
    const child = Bun.spawn([process.execPath, '-e', program], {
      cwd: import.meta.dir,
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        PATH: process.env['PATH'] ?? '',
        HTTP_PROXY: 'http://127.0.0.1:1',
        http_proxy: 'http://127.0.0.1:1',
      },
    })
    const reader = child.stdout.getReader()
    const first = JSON.parse(new TextDecoder().decode((await reader.read()).value)) as { url: string }
    expect(first).toMatchObject({ level: 'warn', service: 'demo', message: expect.stringContaining('demo') })
    expect(new URL(first.url).hostname).toBe('127.0.0.1')
    const { port } = new URL(first.url)
    expect(fetch(`http://[::1]:${port}/`)).rejects.toThrow()
    // Other loopback addresses would reach a server that listens on all addresses.
    expect(fetch(`http://127.0.0.2:${port}/`)).rejects.toThrow()

    const theirs = await connect(first.url, service)
    const person = new Person()
    const attempt = await theirs.begin()
    const back = await person.press(await person.open(attempt.url), 'Continue as Alice')
    const { idToken } = await attempt.finish(back)
    await person.pass(theirs.endSession({ id_token_hint: idToken, post_logout_redirect_uri: service.origin }))
    expect(service.logoutTokens).toHaveLength(1)

    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect((await reader.read()).done).toBe(true)
    expect(await new Response(child.stderr).text()).toBe('')
  })
})

function verifyLogoutToken(token = '') {
  return jwtVerify(token, createRemoteJWKSet(new URL(`${issuer}/jwks`)), {
    issuer,
    audience: service.client.id,
    typ: 'logout+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['iat', 'exp', 'jti'],
  })
}

async function keyIds(of: string): Promise<unknown[]> {
  const { keys } = (await (await fetch(`${of}/jwks`)).json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}
