import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { eraseAccount, refusal, setPicture, signedInGuest, signedInUser, succeed } from '../actions.ts'
import { listAuditActions } from '../audit-log.ts'
import { photo } from '../files/images.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), provider: (idp) => idp.teamidpConfig() })
    await signedInUser(rooms, { sub: 'admin', name: 'Ada' })
  })
  afterAll(() => rooms.close())

  test('R28.26: an export contains everything that is stored about the account and nothing about others', async () => {
    const claims = { teams: [{ id: 't1', role: 'owner' }], phone: '+46 70 000 00 00', picture: 'https://x/y' }
    const bob = await signedInUser(rooms, { sub: 'bob', name: 'Bob', email: 'bob@example.com', ...claims })
    const other = await signedInUser(rooms, { sub: 'max', name: 'Max' })
    await succeed(bob.browser.send(`/api/blocks/${other.id}`, { method: 'PUT' }))
    const profile = { title: 'Gardener', timeZone: 'Asia/Jakarta' }
    await succeed(bob.browser.send('/api/profile', { method: 'PUT', body: profile }))
    await succeed(setPicture(bob, await photo()))
    const status = { text: 'At lunch', emoji: '🍜', away: true }
    await succeed(bob.browser.send('/api/status', { method: 'PUT', body: status }))
    const { user } = await bob.browser.json<{ user: { avatarUrl: string } }>('/api/session')
    const response = await bob.browser.send('/api/account/export')
    expect(response.headers.get('content-disposition')).toContain('attachment')
    const text = await response.text()
    expect(JSON.parse(text)).toEqual({
      exportedAt: expect.stringMatching(/Z$/),
      user: {
        id: bob.id,
        nickname: 'Bob',
        email: 'bob@example.com',
        avatarColor: expect.any(String),
        avatarUrl: expect.stringContaining('/api/pictures/'),
        identityType: 'oauth',
        platformAdmin: false,
        createdAt: expect.stringMatching(/Z$/),
        lastSeenAt: expect.stringMatching(/Z$/),
      },
      identity: {
        issuer: rooms.idp.issuer,
        subject: 'bob',
        mode: 'teamidp',
        createdAt: expect.stringMatching(/Z$/),
      },
      grants: [
        {
          role: 'owner',
          scopeType: 'team',
          scopeId: 't1',
          source: 'teamidp',
          createdAt: expect.stringMatching(/Z$/),
        },
      ],
      sessions: [expect.objectContaining({ current: true, endedAt: null, address: expect.any(String) })],
      notifications: { quiet: null, sound: false },
      profile: {
        title: 'Gardener',
        timeZone: 'Asia/Jakarta',
        picture: { url: user.avatarUrl, bytes: expect.any(Number), sha256: expect.any(String) },
        status: { text: 'At lunch', emoji: '🍜', until: null, away: true },
      },
      blocks: [{ userId: other.id, createdAt: expect.stringMatching(/Z$/) }],
      access: null,
      rooms: {
        owned: [],
        memberships: [],
        readMarks: [],
        drafts: [],
        visits: [],
        messages: [],
        reactions: [],
        invitations: [],
        usedInvitations: [],
        rolesSetByHand: [],
        bans: [],
        transfers: [],
      },
      activity: [
        expect.objectContaining({ action: 'auth.login', actorUserId: bob.id }),
        expect.objectContaining({ action: 'account.blocks', metadata: { count: 1 } }),
      ],
    })
    // Only the claims that are needed are stored at all.
    expect(text).not.toContain('+46')
    expect(text).not.toContain('https://x/y')
    // No credential of any kind.
    expect(text).not.toContain(bob.browser.token ?? 'x')
    expect(text).not.toContain('token')
  })

  test('R28.26: erasing an account deletes its cookies, rows and sessions and is recorded in the audit log', async () => {
    rooms.clock.ms += 1000
    const since = rooms.clock.ms
    const eva = await signedInUser(rooms, { sub: 'eva', name: 'Eva', email: 'eva@example.com' })
    const elsewhere = await signedInUser(rooms, { sub: 'eva', name: 'Eva' })
    const { room } = await eva.browser.json<{ room: { id: string } }>(
      '/api/rooms',
      { body: { name: 'Quay' } },
      201,
    )
    const stopped = await eraseAccount(eva)
    expect(await stopped.json()).toMatchObject({ code: 'owns_rooms', roomIds: [room.id] })
    await eva.browser.send(`/api/rooms/${room.id}`, { method: 'DELETE' })
    const erased = await eraseAccount(eva)
    expect(await erased.json()).toEqual({ success: true })
    expect(eva.browser.token).toBeUndefined()
    expect((await elsewhere.browser.send('/api/session')).status).toBe(401)
    const { read } = rooms.rooms.database
    for (const table of ['identities', 'sessions', 'role_grants'] as const)
      expect(await read.selectFrom(table).select('id').where('user_id', '=', eva.id).execute()).toEqual([])
    expect(await read.selectFrom('users').select('id').where('id', '=', eva.id).execute()).toEqual([])
    expect((await listAuditActions(rooms, since)).filter(([action]) => !action?.startsWith('room.'))).toEqual(
      [['account.delete', null, eva.id]],
    )
    const log = JSON.stringify(await read.selectFrom('audit_events').selectAll().execute())
    expect(log).not.toContain('eva@example.com')
  })

  if (dialect === 'postgres') return

  test('an account is not erased without confirmation', async () => {
    const bob = await signedInUser(rooms, { sub: 'bob', name: 'Bob' })
    for (const body of [
      {},
      { confirm: false },
      { confirm: 'true' },
      { confirm: null },
      { confirm: true, x: 1 },
    ])
      expect(await refusal(await bob.browser.send('/api/account', { method: 'DELETE', body }))).toEqual([
        400,
        'invalid_request',
      ])
    expect((await bob.browser.send('/api/session')).status).toBe(200)
  })

  test('guests and signed-out visitors have no account to export or erase', async () => {
    const anonymous = await signedInGuest(rooms)
    const erase = { method: 'DELETE', body: { confirm: true } }
    for (const [browser, refused] of [
      [anonymous.browser, [403, 'guest_not_permitted']],
      [rooms.browser(), [401, 'unauthenticated']],
    ] as const) {
      expect(await refusal(await browser.send('/api/account/export'))).toEqual([...refused])
      expect(await refusal(await browser.send('/api/account', erase))).toEqual([...refused])
    }
    expect((await anonymous.browser.send('/api/session')).status).toBe(200)
  })
})
