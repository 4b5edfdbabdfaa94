import { describe, expect, test } from 'bun:test'
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely'
import { eachDialect } from '@latchkey/database/testing'
import type { MemberRole } from '../../src/api/roles.ts'
import { listRoomsOfGroups, updateGroupMemberships } from '../../src/members/groups/login-groups.ts'
import { lockRooms } from '../../src/members/groups/store.ts'
import { findUser } from '../../src/users/store.ts'
import { createRoom } from '../actions.ts'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE, type HostileProvider, claimPath } from '../provider/hostile.ts'
import { closeNodes, twoNodes } from '../realtime/nodes.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'
import { BOB, originOf, userIdOf } from './grant-steps.ts'

const withGroups = (idp: HostileProvider) => idp.config({ groupsPath: claimPath('groups') })

type Groups = readonly { name: string; role: MemberRole }[]

const putGroups = (browser: Browser, roomId: string, groups: Groups) =>
  browser.send(`/api/rooms/${roomId}/groups`, { method: 'PUT', body: { groups } })

async function roomWith(browser: Browser, groups: Groups, settings: Record<string, unknown> = {}) {
  const { id } = await createRoom({ browser }, { visibility: 'private', ...settings })
  expect((await putGroups(browser, id, groups)).status).toBe(200)
  return id
}

/** The membership of an account, with the group that gives it. */
async function memberOf(t: TestRooms, roomId: string, subject = 'bob') {
  const row = await t.rooms.database.read
    .selectFrom('room_members')
    .select(['role', 'group_name'])
    .where('room_id', '=', roomId)
    .where('user_id', '=', await userIdOf(t, subject))
    .executeTakeFirst()
  return row ? [row.role, row.group_name] : null
}

async function eventsOf(t: TestRooms, roomId: string): Promise<string[]> {
  const rows = await t.rooms.database.read
    .selectFrom('room_events')
    .select(['type', 'data'])
    .where('room_id', '=', roomId)
    .orderBy('seq')
    .execute()
  return rows.map(({ type, data }) => `${type} ${JSON.parse(data).person?.role ?? ''}`.trim())
}

const speakers = (...names: string[]) => names.map((name) => ({ name, role: 'speaker' as const }))

class CountedStatements implements KyselyPlugin {
  count = 0

  transformQuery({ node }: PluginTransformQueryArgs) {
    return node
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    this.count += 1
    return result
  }
}

eachDialect((dialect, newUrl) => {
  describe('groups as memberships', () => {
    test('R38.3: people of a group are members with the highest of its roles, from login to login', async () => {
      const t = await openRooms({ url: await newUrl(), provider: withGroups })
      const alice = await t.signedInBrowser(ALICE)
      const room = await roomWith(alice, [
        ...speakers('staff', 'board'),
        { name: 'mods', role: 'moderator' },
        { name: 'all', role: 'listener' },
      ])
      const steps: [unknown, unknown][] = [
        [['staff'], ['speaker', 'staff']],
        [
          ['all', 'mods', 'staff'],
          ['moderator', 'mods'],
        ],
        [
          ['staff', 'mods'],
          ['moderator', 'mods'],
        ],
        [['all'], ['listener', 'all']],
        [['other'], null],
        ['board', ['speaker', 'board']],
      ]
      for (const [groups, expected] of steps) {
        const bob = await t.signedInBrowser({ ...BOB, groups })
        expect([groups, await memberOf(t, room)]).toEqual([groups, expected])
        expect((await bob.send(`/api/rooms/${room}`)).status).toBe(expected === null ? 404 : 200)
      }
      expect(await eventsOf(t, room)).toEqual([
        'member.joined speaker',
        'member.role moderator',
        'member.role listener',
        'member.left listener',
        'member.joined speaker',
      ])
      const { last_seq } = await t.rooms.database.read
        .selectFrom('rooms')
        .select('last_seq')
        .where('id', '=', room)
        .executeTakeFirstOrThrow()
      expect(last_seq).toBe(5)
      const audited = await findAuditEvents(t.rooms, 'room.member.group_update')
      expect(audited.map(({ metadata: { from, to, group } }) => [from, to, group])).toEqual([
        [null, 'speaker', 'staff'],
        ['speaker', 'moderator', 'mods'],
        ['moderator', 'listener', 'all'],
        ['listener', null, 'all'],
        [null, 'speaker', 'board'],
      ])
      await t.close()
    })

    test('R38.3a: a role set by hand, a membership of one’s own, leaving by choice and a kick hold against groups', async () => {
      const t = await openRooms({ url: await newUrl(), provider: withGroups })
      const alice = await t.signedInBrowser(ALICE)
      const login = (...groups: string[]) => t.signedInBrowser({ ...BOB, groups })
      const groups = [...speakers('staff'), { name: 'mods', role: 'moderator' as const }]
      const [byHand, same, own, left, kicked] = [
        await roomWith(alice, groups),
        await roomWith(alice, groups),
        await roomWith(alice, groups, { visibility: 'public', defaultRole: 'listener' }),
        await roomWith(alice, groups),
        await roomWith(alice, groups),
      ]
      const bob = await login()
      await bob.json(`/api/rooms/${own}/membership`, { method: 'PUT' })
      const now = await login('staff')
      const bobId = await userIdOf(t, 'bob')
      for (const [room, role] of [
        [byHand, 'listener'],
        [same, 'speaker'],
      ] as const)
        await alice.json(`/api/rooms/${room}/members/${bobId}`, { method: 'PATCH', body: { role } })
      await now.json(`/api/rooms/${left}/membership`, { method: 'DELETE' })
      await alice.json(`/api/rooms/${kicked}/members/${bobId}/remove`, {
        body: { action: 'kick', cooldownMinutes: 10 },
      })
      const all = async () =>
        Object.fromEntries(
          await Promise.all(
            Object.entries({ byHand, same, own, left, kicked }).map(async ([name, id]) => [
              name,
              await memberOf(t, id),
            ]),
          ),
        )
      const held = { byHand: ['listener', null], same: ['speaker', null], left: null }
      await login('staff', 'mods')
      // Only a higher role of a group replaces the one of a person who joined, for as long as it lasts.
      expect(await all()).toEqual({ ...held, own: ['moderator', 'mods'], kicked: null })
      t.clock.ms += 11 * 60_000
      await login('staff')
      expect(await all()).toEqual({ ...held, own: ['speaker', 'staff'], kicked: ['speaker', 'staff'] })
      await login()
      expect(await all()).toEqual({ ...held, own: ['listener', null], kicked: null })
      await t.close()
    })

    test('R38.3d: a thousand groups in two thousand rooms cost few statements, and an unchanged login one', async () => {
      const t = await openRooms({ url: await newUrl(), provider: withGroups })
      await t.signedInBrowser(ALICE)
      await t.signedInBrowser(BOB)
      const [alice, bob] = [await userIdOf(t, 'alice'), await userIdOf(t, 'bob')]
      const rooms = Array.from({ length: 2_000 }, (_, n) => `room-${String(n).padStart(4, '0')}`)
      await t.rooms.database.write(async (tx) => {
        for (let start = 0; start < rooms.length; start += 500) {
          const batch = rooms.slice(start, start + 500)
          await tx
            .insertInto('rooms')
            .values(
              batch.map((id) => ({
                id,
                name: id,
                search_name: id,
                created_by: alice,
                owner_id: alice,
                owner_since: t.clock.ms,
                visibility: 'private' as const,
                allow_guests: 0 as const,
                default_role: 'speaker' as const,
                history_visibility: 'all' as const,
                voice: 'off' as const,
                voice_screen: 0 as const,
                voice_guests: 'off' as const,
                last_seq: 0,
                created_at: t.clock.ms,
                active_at: t.clock.ms,
                kind: 'room' as const,
                is_default: 0 as const,
              })),
            )
            .execute()
          await tx
            .insertInto('room_groups')
            .values(batch.map((id, n) => ({ room_id: id, name: `g${n % 1_000}`, role: 'speaker' as const })))
            .execute()
        }
      })
      const user = (await findUser(t.rooms.database.read, bob))!
      const login = async (groups: string[]) => {
        const plugin = new CountedStatements()
        const startedMs = performance.now()
        const events = await t.rooms.database.write(async (db) => {
          const tx = db.withPlugin(plugin)
          const input = { dialect, groups, nowMs: t.clock.ms }
          const roomIds = await listRoomsOfGroups(tx, bob, input)
          await lockRooms(dialect, tx, roomIds)
          return updateGroupMemberships(tx, user, { ...input, roomIds, origin: originOf(t) })
        })
        return { count: plugin.count, ms: performance.now() - startedMs, events: events.length }
      }
      const count = async () =>
        (await t.rooms.database.read.selectFrom('room_members').select('room_id').execute()).length
      const thousand = Array.from({ length: 1_000 }, (_, n) => `g${n}`)
      const joined = await login(thousand)
      expect(joined.count).toBeLessThan(20)
      expect(await count()).toBe(2_000)
      expect((await login(thousand)).count).toBe(1)
      const ended = await login([])
      expect(ended.count).toBeLessThan(20)
      expect(await count()).toBe(0)
      const seqs = await t.rooms.database.read.selectFrom('rooms').select('last_seq').distinct().execute()
      expect(seqs).toEqual([{ last_seq: 2 }])
      // Seconds, where a statement for each row would take minutes.
      expect(joined.ms + ended.ms).toBeLessThan(10_000)
      await t.close()
    })

    test('R38.3d: logins of one person at once on two nodes, beside changes of the groups, leave one membership and no gap', async () => {
      const nodes = await twoNodes({ url: await newUrl(), provider: withGroups })
      const [t, other] = nodes.map(({ service }) => service) as [TestRooms, TestRooms]
      const alice = await t.signedInBrowser(ALICE)
      const rooms = [await roomWith(alice, speakers('staff')), await roomWith(alice, speakers('staff'))]
      await Promise.all(
        [t, other, t, other, t, other].flatMap((node, n) => [
          node.signedInBrowser({ ...BOB, groups: n % 3 === 2 ? [] : ['staff'] }),
          putGroups(alice, rooms[n % 2] ?? '', speakers('staff', `more${n}`)),
          alice.json(
            `/api/rooms/${rooms[n % 2]}/messages`,
            { body: { content: `n${n}`, clientId: crypto.randomUUID() } },
            201,
          ),
        ]),
      )
      await t.signedInBrowser({ ...BOB, groups: ['staff'] })
      for (const room of rooms) {
        expect(await memberOf(t, room)).toEqual(['speaker', 'staff'])
        const events = await t.rooms.database.read
          .selectFrom('room_events')
          .select('seq')
          .where('room_id', '=', room)
          .orderBy('seq')
          .execute()
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1))
      }
      await closeNodes(nodes)
    })

    if (dialect === 'postgres') return

    test('R38.3b: only a group that equals the name exactly counts, in a list or as one text', async () => {
      const t = await openRooms({
        url: await newUrl(),
        provider: withGroups,
        limits: { login_start_per_minute: 1_000 },
      })
      // ID tokens are shorter than a list of ten thousand groups, which user-info has.
      t.idp.idToken(({ groups: _, ...usual }) => usual)
      const room = await roomWith(
        await t.signedInBrowser(ALICE),
        speakers('staff', '7', '1.5', 'a,b', 'cn=a,ou=b'),
      )
      const many = Array.from({ length: 10_000 }, (_, n) => `g${n}`)
      for (const groups of [
        'staff',
        ['staff'],
        [...many, 'staff'],
        7,
        ['7'],
        [1.5],
        'a,b',
        'cn=a,ou=b',
        ['x\u0000', '\ud800', {}, null, 'staff'],
      ]) {
        await t.signedInBrowser({ ...BOB, groups })
        expect([groups, await memberOf(t, room)]).not.toEqual([groups, null])
        await t.signedInBrowser({ ...BOB, groups: [] })
        expect([groups, await memberOf(t, room)]).toEqual([groups, null])
      }
      for (const groups of [
        undefined,
        null,
        '',
        [],
        true,
        [true],
        many,
        'Staff',
        ' staff',
        ['staff '],
        ['staff\u0000'],
        ['\u0455taff', 'st\u200baff', 'ｓtaff', 'staffs', 'xstaff', 'sta'],
        'staff,board',
        'staff board',
        [['staff']],
        [{ name: 'staff' }],
        { staff: true },
        ['07', '7.0', 70, -7],
        'a',
        ['a', 'b'],
      ]) {
        await t.signedInBrowser({ ...BOB, groups })
        expect([groups, await memberOf(t, room)]).toEqual([groups, null])
      }
      await t.close()
    })

    test('R38.3c: a provider that does not say which groups a person has ends no membership', async () => {
      const t = await openRooms({ url: await newUrl(), provider: withGroups })
      const room = await roomWith(await t.signedInBrowser(ALICE), speakers('staff'))
      await t.signedInBrowser({ ...BOB, groups: ['staff'] })
      const isMember = async () => (await memberOf(t, room)) !== null
      for (const [status, claims] of [
        [401, {}],
        [403, { groups: null }],
        [404, {}],
      ] as const) {
        t.idp.answer('userinfo', () => Response.json({}, { status }))
        t.idp.idToken(({ groups: _, ...usual }) => ({ ...usual, ...claims }))
        await t.signedInBrowser(BOB)
        expect([status, await isMember()]).toEqual([status, true])
      }
      t.idp.reset()
      for (const claims of [
        { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } },
        { groups: { staff: true } },
        { groups: [{ name: 'other' }] },
      ]) {
        const before = t.logLines.length
        await t.signedInBrowser({ ...BOB, ...claims })
        expect([claims, await isMember()]).toEqual([claims, true])
        const warnings = t.logLines.slice(before).filter((line) => line.includes('ROOMS_GROUPS_CLAIM'))
        expect([claims, warnings.length]).toEqual([claims, 1])
      }
      const without = await t.node({ provider: t.idp.config() })
      await without.signedInBrowser(BOB)
      expect(await isMember()).toBe(true)
      await without.close()
      // The provider answered, and the person has none.
      await t.signedInBrowser(BOB)
      expect(await isMember()).toBe(false)
      await t.close()
    })

    test('R38.3f: groups reach full rooms and rooms made private, and neither archived rooms nor banned people', async () => {
      const t = await openRooms({ url: await newUrl(), provider: withGroups })
      const alice = await t.signedInBrowser(ALICE)
      const [full, madePrivate, archived, banned] = [
        await roomWith(alice, speakers('staff'), { maxParticipants: 2 }),
        await roomWith(alice, speakers('staff'), { visibility: 'public' }),
        await roomWith(alice, speakers('staff')),
        await roomWith(alice, speakers('staff')),
      ]
      await t.signedInBrowser({ ...BOB, groups: ['staff'] })
      const bobId = await userIdOf(t, 'bob')
      await alice.json(`/api/rooms/${madePrivate}/settings`, {
        method: 'PATCH',
        body: { visibility: 'private' },
      })
      await alice.json(`/api/rooms/${banned}/members/${bobId}/remove`, { body: { action: 'ban' } })
      const archive = (archivedAt: number | null) =>
        t.rooms.database.write((tx) =>
          tx.updateTable('rooms').set({ archived_at: archivedAt }).where('id', '=', archived).execute(),
        )
      await archive(t.clock.ms)
      await t.signedInBrowser({ ...BOB, groups: ['staff'] })
      const member = ['speaker', 'staff']
      for (const [room, expected] of [
        [full, member],
        [madePrivate, member],
        [archived, member],
        [banned, null],
      ] as const)
        expect(await memberOf(t, room)).toEqual(expected)
      await t.signedInBrowser({ ...BOB, groups: [] })
      await t.signedInBrowser({ ...BOB, groups: ['staff'] })
      expect([await memberOf(t, archived), await memberOf(t, madePrivate)]).toEqual([null, member])
      await archive(null)
      await alice.json(`/api/rooms/${banned}/bans/${bobId}`, { method: 'DELETE' })
      await t.signedInBrowser({ ...BOB, groups: ['staff'] })
      expect([await memberOf(t, archived), await memberOf(t, banned)]).toEqual([member, member])
      await t.close()
    })

    test('R38.3f: a person who owns every team, and whose team ids are names of groups, gets no membership and no right', async () => {
      const t = await openRooms({
        url: await newUrl(),
        provider: (idp) => idp.teamidpConfig({ groupsPath: claimPath('groups') }),
      })
      const alice = await t.signedInBrowser(ALICE)
      const rooms = [
        await roomWith(alice, [{ name: 'harbour', role: 'moderator' }]),
        await roomWith(alice, speakers('owner', 'platform_admin')),
      ]
      const teams = ['harbour', ...rooms, 'owner', 'platform_admin'].map((id) => ({ id, role: 'owner' }))
      const bob = await t.signedInBrowser({ ...BOB, teams })
      for (const room of rooms) {
        expect(await memberOf(t, room)).toBeNull()
        expect((await bob.send(`/api/rooms/${room}`)).status).toBe(404)
      }
      const { rooms: listed } = await bob.json<{ rooms: unknown[] }>('/api/rooms')
      expect(listed).toEqual([])
      const byGroup = await t.signedInBrowser({ ...BOB, teams, groups: ['harbour', 'platform_admin'] })
      expect(await memberOf(t, rooms[0] ?? '')).toEqual(['moderator', 'harbour'])
      const { user } = await byGroup.json<{ user: { platformAdmin: boolean } }>('/api/session')
      expect(user.platformAdmin).toBe(false)
      await t.close()
    })

    test('R38.3e: owners and administrators set the groups of a room, moderators see them, and no one else learns of them', async () => {
      const t = await openRooms({ url: await newUrl(), provider: withGroups, limits: { groups_room: 3 } })
      const root = await t.signedInBrowser(ALICE)
      const owner = await t.signedInBrowser({ sub: 'carol', name: 'Carol' })
      const secret = 'Project Zebra'
      const groups = [{ name: 'mods', role: 'moderator' as const }, ...speakers(secret)]
      const room = await roomWith(owner, groups.toReversed(), { visibility: 'public' })
      const moderator = await t.signedInBrowser({ ...BOB, groups: ['mods'] })
      const speaker = await t.signedInBrowser({ sub: 'dave', name: 'Dave', groups: [secret] })
      const visitor = await t.signedInBrowser({ sub: 'eve', name: 'Eve' })
      for (const [browser, reads, writes] of [
        [owner, 200, 200],
        [root, 200, 200],
        [moderator, 200, 403],
        [speaker, 403, 403],
        [visitor, 403, 403],
      ] as const) {
        const read = await browser.send(`/api/rooms/${room}/groups`)
        expect(read.status).toBe(reads)
        if (reads === 200)
          expect(await read.json()).toEqual({ groups: [...groups].toReversed(), enabled: true })
        expect((await putGroups(browser, room, groups)).status).toBe(writes)
        const { members } = await browser
          .send(`/api/rooms/${room}/members`)
          .then((response) => response.json() as Promise<{ members?: { group: string | null }[] }>)
        const visible = members?.map(({ group }) => group) ?? []
        expect(visible.includes(secret)).toBe(reads === 200)
      }
      for (const path of ['', '/members', '/events', '/messages', '/settings'])
        expect(await (await speaker.send(`/api/rooms/${room}${path}`)).text()).not.toContain('Zebra')
      expect(JSON.stringify(t.publishedEvents)).not.toContain('Zebra')
      expect(t.logLines.join('')).not.toContain('Zebra')
      const { rooms: exported } = await speaker.json<{ rooms: { memberships: unknown[] } }>(
        '/api/account/export',
      )
      expect(exported.memberships).toMatchObject([{ roomId: room, role: 'speaker', group: secret }])
      for (const [body, status, code] of [
        [{ groups: [{ name: 'a', role: 'owner' }] }, 400, 'invalid_request'],
        [{ groups: [{ name: '', role: 'speaker' }] }, 400, 'invalid_request'],
        [{ groups: [{ name: 'a\u0000', role: 'speaker' }] }, 400, 'invalid_request'],
        [{ groups: speakers('a', 'a') }, 400, 'invalid_request'],
        [{ groups: [{ ...speakers('a')[0], more: 1 }] }, 400, 'invalid_request'],
        [{ groups: speakers('a', 'b', 'c', 'd') }, 409, 'limit_reached'],
        [{ groups: speakers('x'.repeat(201)) }, 409, 'limit_reached'],
        [{ groups: speakers('x'.repeat(200), 'A', 'a') }, 200, undefined],
        [{ groups: [] }, 200, undefined],
      ] as const) {
        const response = await owner.send(`/api/rooms/${room}/groups`, { method: 'PUT', body })
        expect([body, response.status, ((await response.json()) as { code?: string }).code]).toEqual([
          body,
          status,
          code,
        ])
      }
      const off = await t.node({ limits: { ...t.limits, groups_room: 0 } })
      const again = await off.signedInBrowser({ sub: 'carol', name: 'Carol' })
      expect((await putGroups(again, room, [])).status).toBe(403)
      await off.close()
      await t.close()
    })
  })
})
