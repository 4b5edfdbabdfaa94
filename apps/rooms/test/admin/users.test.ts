import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { type SignedInUser, eraseAccount, refusal, signedInGuest, signedInUser } from '../actions.ts'
import { listAuditActions } from '../audit-log.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

interface Page {
  users: { id: string; nickname: string; roleSources: unknown[] }[]
  nextCursor: string | null
}

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let admin: SignedInUser
  beforeAll(async () => {
    const limits = { admin_writes_per_minute: 100_000, search_per_minute: 100_000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    admin = await signedInUser(rooms, { sub: 'admin', name: 'Ada', email: 'ada@example.com' })
  })
  afterAll(() => rooms.close())
  const patch = (who: SignedInUser, userId: string, disabled: boolean) =>
    who.browser.send(`/api/admin/users/${userId}/status`, { method: 'PATCH', body: { disabled } })
  const put = (who: SignedInUser, userId: string, granted: boolean) =>
    who.browser.send(`/api/admin/users/${userId}/platform-admin`, { method: 'PUT', body: { granted } })
  /** Advances the clock and returns the time, to separate later events from earlier ones. */
  const later = () => (rooms.clock.ms += 1000)

  describe('searching users', () => {
    let searchNames: (q: string) => Promise<string[]>
    beforeAll(async () => {
      for (const [sub, name, email] of [
        ['s1', 'Åsa 100% Öst', 'asa@example.com'],
        ['s2', 'Asa_Lind', 'lind@example.com'],
        ['s3', 'AsaXLind', 'asa@example.community'],
        ['s4', 'Мария', undefined],
      ] as const)
        await signedInUser(rooms, { sub, name, ...(email && { email }) })
      searchNames = async (q) => {
        const page = await admin.browser.json<Page>(`/api/admin/users?q=${encodeURIComponent(q)}`)
        return page.users.map(({ nickname }) => nickname).toSorted()
      }
    })

    test('a part of a name matches without case and accents', async () => {
      for (const q of ['asa', 'åsa', 'ÅSA', 'Åsa'])
        expect(await searchNames(q)).toEqual(['AsaXLind', 'Asa_Lind', 'Åsa 100% Öst'])
      for (const q of ['öst', 'ÖST', 'ost', 'Åsa 100', 'asa １００'])
        expect(await searchNames(q)).toEqual(['Åsa 100% Öst'])
      for (const q of ['мария', 'МАРИЯ', 'ария', 'мАрИ']) expect(await searchNames(q)).toEqual(['Мария'])
    })

    test('R28.8: %, _ and the escape character match literally', async () => {
      expect(await searchNames('0%')).toEqual(['Åsa 100% Öst'])
      expect(await searchNames('%%')).toEqual([])
      expect(await searchNames('a_L')).toEqual(['Asa_Lind'])
      expect(await searchNames('__')).toEqual([])
      for (const q of ['!!', '!%', '\\%', "'';--"]) expect(await searchNames(q)).toEqual([])
    })

    test('R16.5a: an email address matches only as a whole, and an id matches its user', async () => {
      expect(await searchNames('asa@example.com')).toEqual(['Åsa 100% Öst'])
      expect(await searchNames('ASA@Example.com')).toEqual(['Åsa 100% Öst'])
      expect(await searchNames('asa@example')).toEqual([])
      expect(await searchNames('example.com')).toEqual([])
      expect(await searchNames(admin.id)).toEqual(['Ada'])
      expect(await searchNames(crypto.randomUUID())).toEqual([])
    })

    if (dialect === 'postgres') return

    test('one character is refused, and an empty or blank query lists all users', async () => {
      expect(await refusal(await admin.browser.send('/api/admin/users?q=a'))).toEqual([
        400,
        'invalid_request',
      ])
      expect(await refusal(await admin.browser.send('/api/admin/users?q=%20a%20'))).toEqual([
        400,
        'invalid_request',
      ])
      expect((await searchNames('')).length).toBe((await searchNames('  ')).length)
      expect(await searchNames('')).toContain('Ada')
    })
  })

  test('R28.4: pages have no gaps or repetitions while users are added, also for equal times', async () => {
    const all = (await admin.browser.json<Page>('/api/admin/users?limit=100')).users.map(({ id }) => id)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page: Page = await admin.browser.json<Page>(`/api/admin/users?limit=2${query}`)
      seen.push(...page.users.map(({ id }) => id))
      cursor = page.nextCursor
      later()
      await signedInGuest(rooms, 'Newcomer')
    }
    expect(seen).toEqual(all)
    for (const bad of ['x', 'MTIz', '', '.', Buffer.from('1.2.3').toString('base64url')])
      expect(await refusal(await admin.browser.send(`/api/admin/users?cursor=${bad}`))).toEqual([
        400,
        'invalid_request',
      ])
    const { nextCursor } = await admin.browser.json<Page>('/api/admin/users?limit=1')
    const elsewhere = await admin.browser.send(`/api/admin/users?q=asa&cursor=${nextCursor}`)
    expect(await refusal(elsewhere)).toEqual([400, 'invalid_request'])
    for (const limit of ['0', '101', '1.5', 'x', ''])
      expect(await refusal(await admin.browser.send(`/api/admin/users?limit=${limit}`))).toEqual([
        400,
        'invalid_request',
      ])
  })

  test('R9.4: if two administrators revoke, disable or erase each other at once, one of them remains', async () => {
    const acts = [
      (who: SignedInUser, other: SignedInUser) => put(who, other.id, false),
      (who: SignedInUser, other: SignedInUser) => patch(who, other.id, true),
      (who: SignedInUser, other: SignedInUser) =>
        who.browser.send(`/api/admin/users/${other.id}`, { method: 'DELETE' }),
    ]
    for (const [n, act] of acts.entries()) {
      const two = await openRooms({ url: await newUrl() })
      const ada = await signedInUser(two, { sub: 'ada', name: 'Ada' })
      const bob = await signedInUser(two, { sub: 'bob', name: 'Bob' })
      await put(ada, bob.id, true)
      await bob.browser.signIn({ sub: 'bob', name: 'Bob' })
      const answers = await Promise.all([act(ada, bob), act(bob, ada)])
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
      // The later request finds nothing to revoke, has lost its session, or is about the last
      // administrator.
      expect([n, statuses[0], [401, 403, 409].includes(statuses[1] ?? 0)]).toEqual([n, 200, true])
      const admins = await two.rooms.database.read
        .selectFrom('role_grants')
        .innerJoin('users', 'users.id', 'role_grants.user_id')
        .select('users.id')
        .where('disabled', '=', 0)
        .execute()
      expect([n, admins.length]).toEqual([n, 1])
      await two.close()
    }
  })

  test('C91 (R9.7): a user who changes their own right gets a new session, and the old one is revoked', async () => {
    const dora = await signedInUser(rooms, { sub: 'dora', name: 'Dora' })
    const elsewhere = await signedInUser(rooms, { sub: 'dora', name: 'Dora' })
    await put(admin, dora.id, true)
    await dora.browser.signIn({ sub: 'dora', name: 'Dora' })
    await elsewhere.browser.signIn({ sub: 'dora', name: 'Dora' })
    const oldToken = dora.browser.token ?? ''
    const before = await rooms.rooms.database.read
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', dora.id)
      .where('revoked_at', 'is', null)
      .orderBy('created_at')
      .execute()
    later()
    const withdrawn = await put(dora, dora.id, false)
    expect(await withdrawn.json()).toEqual({ success: true, changed: true, remaining: [] })
    expect(dora.browser.token).not.toBe(oldToken)
    expect((await dora.browser.send('/api/session')).status).toBe(200)
    expect(await refusal(await dora.browser.send('/api/admin/users'))).toEqual([403, 'forbidden'])
    expect((await elsewhere.browser.send('/api/session')).status).toBe(401)
    const thief = rooms.browser()
    thief.cookies.set('__Host-latchkey_session', oldToken)
    expect((await thief.send('/api/session')).status).toBe(401)
    const after = await rooms.rooms.database.read
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', dora.id)
      .where('revoked_at', 'is', null)
      .execute()
    expect(after).toHaveLength(1)
    // The login stays the same: the lifetime is not extended, and the provider's session id is
    // kept.
    const { login_at, absolute_expires_at, idp_issuer, idp_sub, idp_sid } = after[0] ?? {}
    expect(before).toContainEqual(
      expect.objectContaining({ login_at, absolute_expires_at, idp_issuer, idp_sub, idp_sid }),
    )
    // Sign-out at the provider still has its hint.
    const { logoutUrl } = await dora.browser.json<{ logoutUrl: string }>('/api/auth/logout', { body: {} })
    expect(new URL(logoutUrl).searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  if (dialect === 'postgres') return

  test('R16.5a: a user in the list has the fields that administrators need and no others', async () => {
    const { users } = await admin.browser.json<Page>(`/api/admin/users?q=${admin.id}`)
    expect(users as unknown[]).toEqual([
      {
        id: admin.id,
        nickname: 'Ada',
        email: 'ada@example.com',
        avatarColor: expect.any(String),
        avatarUrl: null,
        disabled: false,
        createdAt: expect.stringMatching(/Z$/),
        lastSeenAt: expect.stringMatching(/Z$/),
        identityType: 'oauth',
        roleSources: [{ role: 'platform_admin', scopeType: 'platform', scopeId: '', source: 'bootstrap' }],
      },
    ])
    const anonymous = await signedInGuest(rooms)
    const page = await admin.browser.json<Page>(`/api/admin/users?q=${anonymous.id}`)
    expect(page.users).toEqual([
      expect.objectContaining({ identityType: 'guest', email: null, roleSources: [] }),
    ])
  })

  test('R8.4: disabling a user revokes their sessions and prevents sign-in until they are enabled', async () => {
    const since = later()
    const bob = await signedInUser(rooms, { sub: 'bob', name: 'Bob' })
    const disabled = await patch(admin, bob.id, true)
    expect(await disabled.json()).toEqual({ user: expect.objectContaining({ id: bob.id, disabled: true }) })
    expect((await bob.browser.send('/api/session')).status).toBe(401)
    expect(rooms.publishedEvents).toContainEqual({ kind: 'sessions', sessionIds: [bob.sessionId] })
    expect(rooms.publishedEvents).toContainEqual({ kind: 'person', userId: bob.id })
    const refused = await bob.browser.signIn({ sub: 'bob', name: 'Bob' })
    expect(refused.headers.get('location')).toContain('error=account_disabled')
    expect((await patch(admin, bob.id, true)).status).toBe(200)
    const enabled = await patch(admin, bob.id, false)
    expect(await enabled.json()).toEqual({ user: expect.objectContaining({ disabled: false }) })
    await bob.browser.signIn({ sub: 'bob', name: 'Bob' })
    expect((await bob.browser.send('/api/session')).status).toBe(200)
    const changes = await listAuditActions(rooms, since)
    expect(changes.filter(([action]) => action !== 'auth.login_failed')).toEqual([
      ['admin.user.disable', admin.id, bob.id],
      ['admin.user.enable', admin.id, bob.id],
    ])
  })

  test('an administrator disables neither themselves nor an unknown user', async () => {
    expect(await refusal(await patch(admin, admin.id, true))).toEqual([409, 'own_account'])
    expect((await patch(admin, admin.id, false)).status).toBe(200)
    expect(await refusal(await patch(admin, crypto.randomUUID(), true))).toEqual([404, 'not_found'])
  })

  test('C91 (R9.7): a manual grant or revocation ends the sessions of its target and changes the right', async () => {
    const since = later()
    const carol = await signedInUser(rooms, { sub: 'carol', name: 'Carol' })
    const oldToken = carol.browser.token
    rooms.publishedEvents.length = 0
    const granted = await put(admin, carol.id, true)
    expect(rooms.publishedEvents).toEqual([{ kind: 'person', userId: carol.id }])
    expect(await granted.json()).toEqual({ success: true, changed: true, remaining: ['manual'] })
    expect((await carol.browser.send('/api/session')).status).toBe(401)
    await carol.browser.signIn({ sub: 'carol', name: 'Carol' })
    expect(carol.browser.token).not.toBe(oldToken)
    expect((await carol.browser.send('/api/admin/users')).status).toBe(200)
    // A repeated grant changes nothing and ends no session.
    expect(await (await put(admin, carol.id, true)).json()).toMatchObject({ changed: false })
    expect((await carol.browser.send('/api/admin/users')).status).toBe(200)
    const withdrawn = await put(admin, carol.id, false)
    expect(await withdrawn.json()).toEqual({ success: true, changed: true, remaining: [] })
    expect((await carol.browser.send('/api/session')).status).toBe(401)
    await carol.browser.signIn({ sub: 'carol', name: 'Carol' })
    expect(await refusal(await carol.browser.send('/api/admin/users'))).toEqual([403, 'forbidden'])
    expect(await (await put(admin, carol.id, false)).json()).toMatchObject({ changed: false })
    expect(await listAuditActions(rooms, since)).toEqual([
      ['grant.add', admin.id, carol.id],
      ['admin.user.admin_grant', admin.id, carol.id],
      ['grant.remove', admin.id, carol.id],
      ['admin.user.admin_revoke', admin.id, carol.id],
    ])
  })

  test('R9.4: guests, disabled users and unknown users are not granted the right', async () => {
    const anonymous = await signedInGuest(rooms)
    expect(await refusal(await put(admin, anonymous.id, true))).toEqual([403, 'guest_not_permitted'])
    const off = await signedInUser(rooms, { sub: 'off', name: 'Off' })
    await patch(admin, off.id, true)
    expect(await refusal(await put(admin, off.id, true))).toEqual([409, 'account_disabled'])
    expect(await refusal(await put(admin, crypto.randomUUID(), true))).toEqual([404, 'not_found'])
    const grants = await rooms.rooms.database.read
      .selectFrom('role_grants')
      .select('user_id')
      .where('user_id', 'in', [anonymous.id, off.id])
      .execute()
    expect(grants).toEqual([])
  })

  test('R9.4: no operation leaves the instance without an administrator', async () => {
    for (const response of [
      await put(admin, admin.id, false),
      await admin.browser.send(`/api/admin/users/${admin.id}`, { method: 'DELETE' }),
      await eraseAccount(admin),
    ])
      expect(await refusal(response)).toEqual([409, 'last_admin'])
    // A disabled administrator does not count.
    const other = await signedInUser(rooms, { sub: 'other', name: 'Other' })
    await put(admin, other.id, true)
    await patch(admin, other.id, true)
    expect(await refusal(await put(admin, admin.id, false))).toEqual([409, 'last_admin'])
    expect((await admin.browser.send('/api/admin/users')).status).toBe(200)
  })

  test('R9.4: an administrator of an earlier provider does not count as the last one who can sign in', async () => {
    const t = await openRooms({ url: await newUrl() })
    const earlier = await signedInUser(t, { sub: 'earlier', name: 'Earlier' })
    const also = await signedInUser(t, { sub: 'also', name: 'Also' })
    await put(earlier, also.id, true)
    await t.rooms.database.write(async (tx) => {
      await tx.updateTable('identities').set({ issuer: 'https://earlier.example.com' }).execute()
    })
    const now = await signedInUser(t, { sub: 'now', name: 'Now' })
    await put(earlier, now.id, true)
    await now.browser.signIn({ sub: 'now', name: 'Now' })
    for (const response of [
      await put(now, now.id, false),
      await patch(earlier, now.id, true),
      await eraseAccount(now),
    ])
      expect(await refusal(response)).toEqual([409, 'last_admin'])
    // That administrator can be revoked: another one who can sign in remains.
    expect((await put(now, also.id, false)).status).toBe(200)
    expect((await put(earlier, earlier.id, false)).status).toBe(200)
    // If no administrator can sign in, the last one of an earlier provider is still protected.
    await t.rooms.database.write(async (tx) => {
      await tx.updateTable('identities').set({ issuer: 'https://earlier.example.com' }).execute()
    })
    expect(await refusal(await put(now, now.id, false))).toEqual([409, 'last_admin'])
    await t.close()
  })

  test('R17.10a: erasing a user deletes all their data and is audited without their details', async () => {
    const since = later()
    const eva = await signedInUser(rooms, { sub: 'eva', name: 'Eva', email: 'eva@example.com' })
    const path = `/api/admin/users/${eva.id}`
    const { room } = await eva.browser.json<{ room: { id: string } }>(
      '/api/rooms',
      { body: { name: 'Quay' } },
      201,
    )
    const stopped = await admin.browser.send(path, { method: 'DELETE' })
    expect(await stopped.json()).toMatchObject({ code: 'owns_rooms', roomIds: [room.id] })
    expect(stopped.status).toBe(409)
    await eva.browser.send(`/api/rooms/${room.id}`, { method: 'DELETE' })
    expect((await admin.browser.send(path, { method: 'DELETE' })).status).toBe(200)
    expect(rooms.publishedEvents).toContainEqual({ kind: 'person', userId: eva.id })
    expect((await eva.browser.send('/api/session')).status).toBe(401)
    const { read } = rooms.rooms.database
    for (const table of ['identities', 'sessions', 'role_grants'] as const)
      expect(await read.selectFrom(table).select('id').where('user_id', '=', eva.id).execute()).toEqual([])
    expect(await refusal(await admin.browser.send(path, { method: 'DELETE' }))).toEqual([404, 'not_found'])
    expect((await listAuditActions(rooms, since)).filter(([action]) => !action?.startsWith('room.'))).toEqual(
      [['account.delete', admin.id, eva.id]],
    )
    // The person is now an unknown user.
    const again = await signedInUser(rooms, { sub: 'eva', name: 'Eva' })
    expect(again.id).not.toBe(eva.id)
  })

  test('writes need a recent sign-in, reads do not (R2)', async () => {
    const bob = await signedInUser(rooms, { sub: 'bob2', name: 'Bob' })
    rooms.clock.ms += 43_200_001
    expect((await admin.browser.send('/api/admin/users')).status).toBe(200)
    expect(await refusal(await patch(admin, bob.id, true))).toEqual([403, 'reauth_required'])
    await admin.browser.signIn({ sub: 'admin', name: 'Ada', email: 'ada@example.com' })
    expect((await patch(admin, bob.id, true)).status).toBe(200)
  })
})
