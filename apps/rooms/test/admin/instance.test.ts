import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { DEFAULT_LIMITS } from '../../src/api/limits.ts'
import {
  type SignedInUser,
  createRoom,
  deleteRoom,
  refusal,
  signedInGuest,
  signedInUser,
} from '../actions.ts'
import { listAuditActions } from '../audit-log.ts'
import { NOON, ORIGIN, type TestRooms, openRooms } from '../rooms.ts'

interface Lines {
  events: { id: string; action: string; actorUserId: string | null; createdAt: string }[]
  nextCursor: string | null
}

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let admin: SignedInUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: { admin_writes_per_minute: 1000 } })
    admin = await signedInUser(rooms, { sub: 'admin', name: 'Ada' })
  })
  afterAll(() => rooms.close())
  const settings = (body: unknown) => admin.browser.send('/api/admin/settings', { method: 'PATCH', body })

  test('R28.23: platform settings reach signed-out visitors and can be cleared', async () => {
    const limits = { ...DEFAULT_LIMITS, admin_writes_per_minute: 1000 }
    expect(await admin.browser.json('/api/admin/settings')).toEqual({ settings: {}, limits })
    const input = {
      productName: 'Harbour Talk',
      supportUrl: 'https://help.example.com/rooms',
      announcement: 'Closed on Sunday',
    }
    expect(await (await settings({ ...input, productName: '  Harbour Talk ' })).json()).toEqual({
      settings: input,
      limits,
    })
    expect(await rooms.browser().json('/api/config')).toMatchObject(input)
    expect(
      await refusal(await rooms.browser().send('/api/session', { body: { nickname: 'Harbour Talk' } })),
    ).toEqual([400, 'nickname_reserved'])
    // A setting that is not named keeps its value.
    expect(await (await settings({ announcement: null })).json()).toMatchObject({
      settings: { productName: 'Harbour Talk', supportUrl: input.supportUrl },
    })
    expect(await rooms.browser().json('/api/config')).toMatchObject({ announcement: null })
    await settings({ productName: null, supportUrl: null })
    expect(await rooms.browser().json('/api/config')).toMatchObject({
      productName: 'Latchkey Rooms',
      supportUrl: null,
    })
    expect(await admin.browser.json('/api/admin/settings')).toEqual({ settings: {}, limits })
  })

  test('settings that cannot be displayed safely are refused and change nothing', async () => {
    for (const supportUrl of [
      'http://help.example.com',
      'javascript:alert(1)',
      'https://',
      'help.example.com',
      'https://user:secret@example.com',
      'https:/\\example.com',
      'https://a b',
      '',
      ' ',
      1,
      ['https://help.example.com'],
      `https://help.example.com/${'x'.repeat(500)}`,
    ])
      expect(await refusal(await settings({ supportUrl }))).toEqual([400, 'invalid_request'])
    for (const body of [
      { productName: 'x'.repeat(501) },
      { announcement: '' },
      { announcement: 'a\u0000b' },
      { unknown: 'x' },
      [],
      null,
    ])
      expect(await refusal(await settings(body))).toEqual([400, 'invalid_request'])
    expect((await settings({ announcement: 'ü'.repeat(500) })).status).toBe(200)
    await settings({ announcement: null })
    expect(await admin.browser.json('/api/admin/settings')).toMatchObject({ settings: {} })
  })

  test('R16.5b: the provider page shows how the provider is reached and what to register there, and no secret', async () => {
    const answer = await admin.browser.json('/api/admin/provider')
    expect(answer as unknown).toEqual({
      mode: 'oidc',
      issuer: rooms.idp.issuer,
      label: 'Test provider',
      conditions: [],
      openProvider: null,
      discovery: { ok: true, checkedAt: expect.stringMatching(/Z$/), code: null, error: null },
      endpoints: expect.any(Object),
      pkce: 'S256',
      tokenAuthMethod: expect.any(String),
      idTokenAlg: 'RS256',
      register: {
        redirectUri: `${ORIGIN}/api/auth/callback`,
        backchannelLogoutUri: `${ORIGIN}/api/auth/backchannel-logout`,
        postLogoutRedirectUri: ORIGIN,
      },
      lastLogoutToken: null,
      unreachableAccounts: 0,
      inheritableAccounts: 0,
    })
    const secret = 'correct horse battery staple'
    const other = await rooms.node({ provider: rooms.idp.oauth2Config({ clientSecret: secret }) })
    const browser = other.browser()
    for (const [name, value] of admin.browser.cookies) browser.cookies.set(name, value)
    const response = await browser.send('/api/admin/provider')
    const text = await response.text()
    expect(text).not.toContain(secret)
    expect(JSON.parse(text)).toMatchObject({
      mode: 'oauth2',
      register: { backchannelLogoutUri: null },
      // Ada's own session.
      unreachableAccounts: 1,
    })
    await other.close()
  })

  test('R38.1e: the provider page names a provider at which everyone may have an account', async () => {
    const authorizationEndpoint = 'https://github.com/login/oauth/authorize'
    const node = await rooms.node({ provider: rooms.idp.oauth2Config({ authorizationEndpoint }) })
    const browser = node.browser()
    for (const [name, value] of admin.browser.cookies) browser.cookies.set(name, value)
    expect(await browser.json('/api/admin/provider')).toMatchObject({
      openProvider: 'GitHub',
      conditions: [],
    })
    await node.close()
  })

  test('the provider page shows the last logout token, accepted or rejected', async () => {
    const form = (token: string) => ({
      method: 'POST',
      headers: { host: 'rooms.example.com', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }),
    })
    const deliver = (token: string) =>
      rooms.rooms.fetch(new Request(`${ORIGIN}/api/auth/backchannel-logout`, form(token)), {
        requestIP: () => ({ address: '192.0.2.77', family: 'IPv4', port: 1 }),
      })
    const last = async () => (await admin.browser.json('/api/admin/provider'))['lastLogoutToken']
    rooms.clock.ms = NOON + 1000
    expect((await deliver('x')).status).toBe(400)
    expect(await last()).toEqual({ at: new Date(NOON + 1000).toISOString(), result: 'rejected' })
    rooms.clock.ms = NOON + 2000
    const token = rooms.idp.logoutToken((claims) => ({ ...claims, sub: 'nobody' }))
    expect((await deliver(token)).status).toBe(200)
    expect(await last()).toEqual({ at: new Date(NOON + 2000).toISOString(), result: 'accepted' })
  })

  test('an administrator lists and revokes sessions: one, all of a user, or those of all guests', async () => {
    rooms.clock.ms += 1000
    const since = rooms.clock.ms
    const bob = await signedInUser(rooms, { sub: 'bob', name: 'Bob' })
    const second = await signedInUser(rooms, { sub: 'bob', name: 'Bob' })
    const path = `/api/admin/users/${bob.id}/sessions`
    const { sessions } = await admin.browser.json<{ sessions: Record<string, unknown>[] }>(path)
    expect(sessions).toHaveLength(2)
    expect(sessions[0] as unknown).toEqual({
      id: expect.any(String),
      current: false,
      createdAt: expect.stringMatching(/Z$/),
      lastSeenAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      userAgent: 'Mozilla/5.0 (test)',
      addressPrefix: expect.stringMatching(/^203\.0\.113\.\d+$/),
    })
    const { session } = await bob.browser.json<{ session: { id: string } }>('/api/session')
    const end = (id: string) => admin.browser.send(`/api/admin/sessions/${id}`, { method: 'DELETE' })
    expect(await (await end(session.id)).json()).toEqual({ success: true })
    expect((await bob.browser.send('/api/session')).status).toBe(401)
    expect((await second.browser.send('/api/session')).status).toBe(200)
    for (const id of [session.id, crypto.randomUUID(), 'x', session.id.toUpperCase()])
      expect(await refusal(await end(id))).toEqual([404, 'not_found'])
    const all = `/api/admin/users/${bob.id}/revoke-sessions`
    expect(await admin.browser.json(all, { method: 'POST' })).toEqual({ revoked: 1 })
    expect((await second.browser.send('/api/session')).status).toBe(401)
    expect(await admin.browser.json(all, { method: 'POST' })).toEqual({ revoked: 0 })
    const guests = [await signedInGuest(rooms), await signedInGuest(rooms)]
    expect(await admin.browser.json('/api/admin/guests/revoke-all', { method: 'POST' })).toEqual({
      revoked: 2,
    })
    expect(
      rooms.publishedEvents
        .flatMap((event) => (event.kind === 'sessions' ? event.sessionIds : []))
        .toSorted(),
    ).toEqual([bob, second, ...guests].map(({ sessionId }) => sessionId).toSorted())
    for (const { browser } of guests) expect((await browser.send('/api/session')).status).toBe(401)
    expect((await admin.browser.send('/api/session')).status).toBe(200)
    for (const missing of ['sessions', 'revoke-sessions'])
      expect(
        await refusal(
          await admin.browser.send(`/api/admin/users/${crypto.randomUUID()}/${missing}`, {
            method: missing === 'sessions' ? 'GET' : 'POST',
          }),
        ),
      ).toEqual([404, 'not_found'])
    expect(await listAuditActions(rooms, since)).toEqual([
      ['admin.user.sessions_read', admin.id, bob.id],
      ['session.revoke', admin.id, session.id],
      ['admin.user.sessions_revoke', admin.id, bob.id],
      ['admin.user.sessions_revoke', admin.id, bob.id],
      ['admin.guests.revoke_all', admin.id, null],
    ])
  })

  test('an administrator who revokes their own session is signed out', async () => {
    const { session } = await admin.browser.json<{ session: { id: string } }>('/api/session')
    await admin.browser.send(`/api/admin/sessions/${session.id}`, { method: 'DELETE' })
    expect(admin.browser.token).toBeUndefined()
    await admin.browser.signIn({ sub: 'admin', name: 'Ada' })
    await admin.browser.send(`/api/admin/users/${admin.id}/revoke-sessions`, { method: 'POST' })
    expect(admin.browser.token).toBeUndefined()
    await admin.browser.signIn({ sub: 'admin', name: 'Ada' })
  })

  test('the audit log is read newest first, by page and by filter, without duplicated or missing rows', async () => {
    const start = rooms.clock.ms + 1000
    rooms.clock.ms = start
    for (let n = 0; n < 7; n++) await settings({ announcement: `${n}` })
    const read = (query: string) => admin.browser.json<Lines>(`/api/admin/audit?${query}`)
    const { events, nextCursor } = await read('limit=100')
    expect(nextCursor).toBeNull()
    expect(events.map(({ createdAt }) => createdAt)).toEqual(
      events
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    )
    const [newest] = events
    expect(newest as unknown).toEqual({
      id: expect.any(String),
      actorUserId: admin.id,
      action: 'admin.settings.update',
      targetType: null,
      targetId: null,
      metadata: { announcement: '6' },
      clientIp: expect.stringMatching(/^203\.0\.113\./),
      createdAt: new Date(start).toISOString(),
    })
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Lines = await read(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      // Reading the log is recorded in it.
      const done = page.events.filter(({ action }) => action !== 'admin.audit.read')
      seen.push(...done.map(({ id }) => id))
      cursor = page.nextCursor
      rooms.clock.ms += 1
      await settings({ announcement: `later ${rooms.clock.ms}` })
    }
    expect(seen).toEqual(events.map(({ id }) => id))
    const actionsOf = async (query: string) => new Set((await read(query)).events.map(({ action }) => action))
    expect(await actionsOf('action=guest.create')).toEqual(new Set(['guest.create']))
    expect(await actionsOf('targetType=session')).toEqual(new Set(['session.revoke', 'auth.login']))
    expect((await read(`actorUserId=${crypto.randomUUID()}`)).events).toEqual([])
    expect((await read(`actorUserId=${admin.id}&action=admin.guests.revoke_all`)).events).toHaveLength(1)
    expect((await read(`targetId=${admin.id}&action=grant.add`)).events).toHaveLength(1)
    const before = await read(`limit=100&before=${encodeURIComponent(new Date(start).toISOString())}`)
    expect(before.events.map(({ id }) => id)).toEqual(events.slice(7).map(({ id }) => id))
    for (const bad of ['before=yesterday', 'before=0', 'actorUserId=x', 'cursor=x', 'limit=0', 'action=%00'])
      expect([bad, await refusal(await admin.browser.send(`/api/admin/audit?${bad}`))]).toEqual([
        bad,
        [400, 'invalid_request'],
      ])
  })

  test('R16.5c, R21.2: the audit log names the people and rooms that it mentions, except deleted ones', async () => {
    const eva = await signedInUser(rooms, { sub: 'eva-audit', name: 'Eva' })
    const { id } = await createRoom(eva, { name: '=1+1' })
    const left = await createRoom(eva, { name: 'Left' })
    await deleteRoom(eva, left.id)
    const { names } = await admin.browser.json<{ names: Record<string, string> }>(
      `/api/admin/audit?actorUserId=${eva.id}`,
    )
    expect(names).toEqual({ [eva.id]: 'Eva', [id]: '=1+1' })
    const response = await admin.browser.send(`/api/admin/audit/export?targetId=${id}`)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, ...records] = (await response.text()).trim().split('\r\n')
    expect(head).toStartWith('time,action,actor,')
    expect(records).toEqual([
      expect.stringContaining(`"room.create","Eva","${eva.id}","room","'=1+1","${id}"`),
    ])
    expect((await eva.browser.send('/api/admin/audit/export')).status).toBe(403)
  })

  test('C131 (R21.2): every row that a request causes has its address and request id, and none contains a token', async () => {
    const rows = await rooms.rooms.database.read.selectFrom('audit_events').selectAll().execute()
    for (const { action, client_ip, request_id } of rows.filter((row) => row.action !== 'provider.changed'))
      expect([action, client_ip, request_id]).toEqual([
        action,
        expect.any(String),
        expect.stringMatching(/^[0-9a-f-]{36}$/),
      ])
    const text = JSON.stringify(rows)
    expect(text).not.toContain(admin.browser.token ?? 'x')
    expect(text).not.toMatch(/eyJ[\w-]{10,}\./)
  })
})
