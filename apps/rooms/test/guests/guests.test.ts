import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { hashToken } from '@latchkey/tokens/opaque'
import { type Browser, NOON, type TestRooms, openRooms } from '../rooms.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

/** The status of a response, and its documented error code. */
async function refusal(response: Response): Promise<unknown> {
  const { code } = (await response.json()) as { code?: string }
  return [response.status, code]
}

async function become(browser: Browser, nickname = 'Gustav'): Promise<{ id: string; nickname: string }> {
  const { user } = await browser.json<{ user: { id: string; nickname: string } }>(
    '/api/session',
    { body: { nickname } },
    201,
  )
  return user
}

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl() })
  })
  afterAll(() => rooms.close())
  const db = () => rooms.rooms.database.read
  const countUsers = async () =>
    Number(
      (
        await db()
          .selectFrom('users')
          .select((eb) => eb.fn.countAll().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    )
  let lastHost = 1
  const somewhere = () => rooms.browser({ ip: `198.51.100.${lastHost++}` })

  test('C124 (R14.7): signing in ends the guest session, and the accounts stay separate', async () => {
    const browser = somewhere()
    const guest = await become(browser)
    const guestToken = browser.token ?? ''
    await browser.signIn({ sub: 'frida', name: 'Frida' })
    expect(browser.token).not.toBe(guestToken)
    const { user } = await browser.json<{ user: { id: string; identityType: string } }>('/api/session')
    expect(user).toMatchObject({ identityType: 'oauth' })
    expect(user.id).not.toBe(guest.id)
    const old = somewhere()
    old.cookies.set('__Host-latchkey_session', guestToken)
    expect((await old.send('/api/session')).status).toBe(401)
    const identities = await db().selectFrom('identities').select('user_id').execute()
    expect(identities.map(({ user_id }) => user_id)).not.toContain(guest.id)
  })

  test('C124 (R14.7, R28.26): a guest is purged 7 days after the last session ended, and no other user is', async () => {
    const leaving = somewhere()
    const gone = await become(leaving, 'Gone')
    await leaving.send('/api/auth/logout', { body: {} })
    const expiring = somewhere()
    const expired = await become(expiring, 'Expired')
    const idsOf = async () => (await db().selectFrom('users').select('id').execute()).map(({ id }) => id)
    const member = await rooms.signedInBrowser({ sub: 'stays', name: 'Stays' }, { ip: '198.51.100.202' })
    const { user } = await member.json<{ user: { id: string } }>('/api/session')
    rooms.clock.ms += 7 * DAY - HOUR
    await rooms.rooms.jobs.runDue()
    expect(await idsOf()).toContain(gone.id)
    rooms.clock.ms += HOUR
    await rooms.rooms.jobs.runDue()
    expect(await idsOf()).not.toContain(gone.id)
    // The session of the other guest expired 12 hours after its start.
    rooms.clock.ms += 11 * HOUR
    await rooms.rooms.jobs.runDue()
    expect(await idsOf()).toContain(expired.id)
    rooms.clock.ms += HOUR
    await rooms.rooms.jobs.runDue()
    expect(await idsOf()).not.toContain(expired.id)
    expect(await idsOf()).toContain(user.id)
    expect(await db().selectFrom('sessions').select('id').where('user_id', '=', gone.id).execute()).toEqual(
      [],
    )
    rooms.clock.ms = NOON
  })

  if (dialect === 'postgres') return

  test('C121 (R14.1): with guests enabled, a nickname creates a guest account, a session and both cookies', async () => {
    const browser = somewhere()
    const response = await browser.send('/api/session', { body: { nickname: '  Gustav\u200b ' } })
    expect(response.status).toBe(201)
    const answer = (await response.json()) as { user: { id: string }; session: Record<string, string> }
    expect(answer as unknown).toEqual({
      user: {
        id: expect.any(String),
        nickname: 'Gustav',
        email: null,
        avatarColor: expect.stringMatching(/^#[0-9a-f]{6}$/),
        avatarUrl: null,
        identityType: 'guest',
        platformAdmin: false,
      },
      session: {
        id: expect.any(String),
        createdAt: new Date(NOON).toISOString(),
        expiresAt: new Date(NOON + 12 * HOUR).toISOString(),
      },
      blockedIds: [],
    })
    expect([...browser.cookies.keys()]).toEqual(['__Host-latchkey_session', '__Host-latchkey_csrf'])
    const session = await db()
      .selectFrom('sessions')
      .selectAll()
      .where('token_hash', '=', hashToken(browser.token ?? ''))
      .executeTakeFirstOrThrow()
    expect(session).toMatchObject({
      id: answer.session['id'],
      user_id: answer.user.id,
      absolute_expires_at: NOON + 24 * HOUR,
      idp_issuer: null,
      id_token_sealed: null,
    })
  })

  test('C121 (R14.1, R28.2): a client with a live session gets no second account', async () => {
    const browser = somewhere()
    await become(browser)
    const before = await countUsers()
    expect(await refusal(await browser.send('/api/session', { body: { nickname: 'Other' } }))).toEqual([
      409,
      'session_exists',
    ])
    expect(await countUsers()).toBe(before)
  })

  test('R15.3: a nickname is trimmed before its length is measured, also when it is changed', async () => {
    const browser = somewhere()
    const blanks = ' '.repeat(5000)
    expect(await become(browser, `${blanks}Zed\n${blanks}`)).toMatchObject({ nickname: 'Zed' })
    const sent = { method: 'PATCH', body: { nickname: `${blanks}Zoe` } }
    expect(await browser.json('/api/session', sent)).toMatchObject({ user: { nickname: 'Zoe' } })
    for (const nickname of [blanks, 'x'.repeat(2049), `${blanks}${'x'.repeat(65)}`])
      expect(await refusal(await somewhere().send('/api/session', { body: { nickname } }))).toEqual([
        400,
        'invalid_request',
      ])
  })

  test('an ended session does not matter, and its cookie is replaced', async () => {
    const browser = somewhere()
    browser.cookies.set('__Host-latchkey_session', 'x'.repeat(43))
    await become(browser)
    expect(browser.token).not.toBe('x'.repeat(43))
  })

  test('C121 (R14.1, R28.2): with guests disabled, no guest is created, signed in or not, and existing guests are signed out', async () => {
    const guest = somewhere()
    const { id } = await become(guest)
    const member = await rooms.signedInBrowser(undefined, { ip: '198.51.100.200' })
    const closed = await rooms.node({ guestEnabled: false })
    const before = await countUsers()
    for (const cookies of [guest.cookies, member.cookies, new Map<string, string>()])
      for (const body of [{ nickname: 'Gustav' }, {}, { nickname: '' }, { nickname: 'Al', more: 1 }, null]) {
        const browser = closed.browser()
        for (const [name, value] of cookies) browser.cookies.set(name, value)
        expect(await refusal(await browser.send('/api/session', { body }))).toEqual([403, 'guests_disabled'])
      }
    expect(await countUsers()).toBe(before)
    expect((await guest.send('/api/session', { method: 'PATCH', body: { nickname: 'Gone' } })).status).toBe(
      401,
    )
    expect((await member.send('/api/session')).status).toBe(200)
    const row = await db().selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row.guest_ended_at).toBe(rooms.clock.ms)
    await closed.close()
  })

  test('C124 (R14.6a): reserved words, look-alikes and invisible names are refused, when a guest is created and when a name is changed', async () => {
    const guest = somewhere()
    await become(guest)
    const before = await countUsers()
    for (const [nickname, code] of [
      ['Мoderator', 'nickname_reserved'],
      ['The System', 'nickname_reserved'],
      ['Latchkey Rooms', 'nickname_reserved'],
      ['\u200b\u3164', 'invalid_request'],
      ['x'.repeat(65), 'invalid_request'],
      ['   ', 'invalid_request'],
      ['a\u0000b', 'invalid_request'],
      // Too long to be cleaned, whatever would remain.
      [`Anna${'\u200b'.repeat(2045)}`, 'invalid_request'],
    ]) {
      expect(await refusal(await somewhere().send('/api/session', { body: { nickname } }))).toEqual([
        400,
        code,
      ])
      const renamed = await guest.send('/api/session', { method: 'PATCH', body: { nickname } })
      expect(await refusal(renamed)).toEqual([400, code])
    }
    expect(await countUsers()).toBe(before)
  })

  test('R28.22: names with the most expensive characters are accepted up to the limits, of guests and of members', async () => {
    const marks = Array.from({ length: 0xf800 }, (_, i) => String.fromCodePoint(0x800 + i)).filter((each) =>
      /\p{Mn}/u.test(each),
    )
    let random = 1
    const next = () => (random = (random * 48_271) % 2_147_483_647)
    const letters = Array.from({ length: 64 }, () => {
      const own = Array.from({ length: 15 }, () => marks[next() % marks.length])
      return String.fromCodePoint(0x4e00 + (next() % 20_000)) + own.join('')
    })
    const nickname = letters.join('')
    const created = await somewhere().send('/api/session', { body: { nickname } })
    expect([201, 400]).toContain(created.status)
    const member = await rooms.signedInBrowser({ sub: 'heavy', name: nickname }, { ip: '198.51.100.202' })
    expect((await member.send('/api/session')).status).toBe(200)
  })

  test('a guest changes their name once a minute (R22); a member cannot', async () => {
    const guest = somewhere()
    const { id } = await become(guest)
    const rename = (browser: Browser, nickname: string) =>
      browser.send('/api/session', { method: 'PATCH', body: { nickname } })
    const renamed = await rename(guest, 'Greta')
    expect(renamed.status).toBe(200)
    expect(await renamed.json()).toEqual({
      user: expect.objectContaining({ id, nickname: 'Greta', identityType: 'guest' }),
    })
    const again = await rename(guest, 'Gerd')
    expect(again.headers.get('retry-after')).toBe('60')
    expect(await refusal(again)).toEqual([429, 'rate_limited'])
    const row = await db().selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row.nickname).toBe('Greta')
    const member = await rooms.signedInBrowser(undefined, { ip: '198.51.100.201' })
    expect(await refusal(await rename(member, 'Greta'))).toEqual([403, 'forbidden'])
    expect(await refusal(await rename(somewhere(), 'Greta'))).toEqual([401, 'unauthenticated'])
  })

  test('C131 (R21.2): the audit log records a new guest with address and request id, without a token', async () => {
    const browser = rooms.browser({ ip: '198.51.100.222' })
    const { id } = await become(browser)
    const row = await db()
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'guest.create')
      .where('actor_user_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      target_type: 'user',
      target_id: id,
      client_ip: '198.51.100.222',
      request_id: expect.any(String),
      created_at: NOON,
    })
    expect(JSON.stringify(row)).not.toContain(browser.token ?? '')
  })
})
