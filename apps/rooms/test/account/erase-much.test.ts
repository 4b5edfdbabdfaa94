// Erasure of accounts with more references than fit in one transaction (docs/decisions/0017, R14.7,
// R28.26).
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { USER_REFERENCES, continueErasure, deleteUser } from '../../src/account/store.ts'
import { lockAccount } from '../../src/users/store.ts'
import {
  type SignedInUser,
  createRoom,
  eraseAccount,
  makeMember,
  member,
  refusal,
  signedInGuest,
  signedInUser,
  succeed,
} from '../actions.ts'
import { roomsPerTest } from '../per-test.ts'
import { untilRequestsWait } from '../rooms/locks.ts'
import type { TestRooms } from '../rooms.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const MESSAGE_COUNT = 20_000
const DONE = 1_500
const PIECE = 1_000
const { rooms, nodeOf } = roomsPerTest()

/** Posts, deletes and records more for this user than the limits allow. */
async function doMuch(
  service: TestRooms,
  roomId: string,
  userId: string,
  messageCount = MESSAGE_COUNT,
): Promise<void> {
  const all = messageCount + DONE
  await service.rooms.database.write(async (tx) => {
    await sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(all)})
      insert into room_messages (id, room_id, seq, user_id, author_name, author_guest, content, client_id, created_at,
        deleted_at, deleted_by)
      select ${sql.lit(`${userId} `)} || n, ${sql.lit(roomId)}, n,
        case when n <= ${sql.lit(messageCount)} then ${sql.lit(userId)} end, ${sql.lit(`#${userId.slice(0, 4)}`)}, 0,
        case when n <= ${sql.lit(messageCount)} then 'Words' end, 'c' || n, ${sql.lit(service.clock.ms)},
        case when n > ${sql.lit(messageCount)} then 1 end, case when n > ${sql.lit(messageCount)} then ${sql.lit(userId)} end
      from numbers`.execute(tx)
    await sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(DONE)})
      insert into audit_events (id, actor_user_id, action, metadata, created_at)
      select ${sql.lit(`${userId} `)} || n, ${sql.lit(userId)}, 'test', '{}', ${sql.lit(service.clock.ms)}
      from numbers`.execute(tx)
    await tx.updateTable('rooms').set({ last_seq: all }).where('id', '=', roomId).execute()
  })
}

/** The number of rows per table that refer to this account. */
async function referring(
  { rooms: { database } }: TestRooms,
  userId: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [table, column] of USER_REFERENCES) {
    const { rows } = await sql<{ count: number | string }>`
      select count(*) as count from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(
      database.read,
    )
    const count = Number(rows[0]?.count)
    if (count > 0) counts[`${table}.${column}`] = count
  }
  return counts
}

const erase = (who: SignedInUser) => succeed(eraseAccount(who))

/** An administrator, a room of another user, and Eva, who has posted many messages in it. */
async function withEva(url: string) {
  const service = await rooms({ url })
  const ada = await signedInUser(service, { sub: 'admin', name: 'Ada' })
  const eva = await signedInUser(service, { sub: 'eva', name: 'Eva', email: 'eva@example.com' })
  const olga = await member(service, 'Olga')
  const { id: roomId } = await createRoom(olga, { historyVisibility: 'all' })
  const asEva = { user: { id: eva.id } }
  await makeMember(service, roomId, asEva, 'moderator')
  await eva.browser.json(`/api/rooms/${roomId}/join`, { method: 'POST' })
  await eva.browser.json(`/api/rooms/${roomId}/invitations/links`, { body: {} }, 201)
  const bob = await member(service, 'Bob')
  const ban = { body: { action: 'ban' } }
  await eva.browser.json(`/api/rooms/${roomId}/members/${bob.user.id}/remove`, ban)
  await doMuch(service, roomId, eva.id)
  return { service, ada, eva, olga, roomId }
}

eachDialect((dialect, newUrl) => {
  test('R28.26: many reactions and mentions are detached and deleted in batches; the reactions still count', async () => {
    const service = await rooms({ url: await newUrl() })
    await signedInUser(service, { sub: 'admin', name: 'Ada' })
    const eva = await signedInUser(service, { sub: 'eva', name: 'Eva' })
    const olga = await member(service, 'Olga')
    const { id: roomId } = await createRoom(olga)
    await doMuch(service, roomId, olga.user.id, DONE)
    await service.rooms.database.write(async (tx) => {
      await sql`insert into room_reactions (id, message_id, seq, user_id, emoji, created_at)
        select id, id, seq, ${eva.id}, '👍', seq from room_messages where content is not null`.execute(tx)
      await sql`insert into room_mentions (message_id, user_id, room_id, seq)
        select id, ${eva.id}, room_id, seq from room_messages where content is not null`.execute(tx)
    })
    await erase(eva)
    const left = async () => {
      const counts = await referring(service, eva.id)
      return [counts['room_reactions.user_id'] ?? 0, counts['room_mentions.user_id'] ?? 0]
    }
    expect(await left()).toEqual([DONE, DONE])
    expect(await service.rooms.database.write(continueErasure)).toBe('more')
    expect(await left()).toEqual([DONE - PIECE, DONE - PIECE])
    service.clock.ms += MINUTE
    await service.rooms.jobs.runDue()
    expect(await left()).toEqual([0, 0])
    const { rows } = await sql<{ count: number | string }>`
      select count(*) as count from room_reactions`.execute(service.rooms.database.read)
    expect(Number(rows[0]?.count)).toBe(DONE)
  })

  test('R28.26: an account with many messages disappears at once for all users, is erased in batches, and survives a restart in between', async () => {
    const { service, ada, eva, olga, roomId } = await withEva(await newUrl())
    const { read } = service.rooms.database
    const elsewhere = await signedInUser(service, { sub: 'eva', name: 'Eva', email: 'eva@example.com' })
    expect(await erase(eva)).toEqual({ success: true })
    expect(eva.browser.token).toBeUndefined()
    expect((await elsewhere.browser.send('/api/session')).status).toBe(401)
    // No trace remains except what the erasure itself needs.
    expect(await referring(service, eva.id)).toEqual({
      'room_messages.user_id': MESSAGE_COUNT,
      'room_messages.deleted_by': DONE,
      'audit_events.actor_user_id': expect.any(Number),
    })
    const readTexts = async () => {
      const texts: string[] = []
      for (const [who, path] of [
        [olga, `/rooms/${roomId}/messages?limit=100&cursor=${MESSAGE_COUNT + 1}`],
        [olga, `/rooms/${roomId}/events?after=0`],
        [olga, `/rooms/${roomId}/members`],
        [olga, `/rooms/${roomId}/bans`],
        [olga, `/rooms/${roomId}/users/search?q=eva`],
        [olga, `/rooms/${roomId}/users/search?q=${eva.id.slice(0, 4)}`],
        [ada, '/admin/users'],
        [ada, '/admin/users?q=eva@example.com'],
        [ada, `/admin/users?q=${eva.id}`],
      ] as const) {
        const response = await who.browser.send(`/api${path}`)
        expect([path, response.status]).toEqual([path, 200])
        texts.push((await response.text()).replaceAll(/"lastSeenAt":"[^"]*"/g, ''))
      }
      return texts
    }
    const meanwhile = await readTexts()
    const { messages } = JSON.parse(meanwhile[0] ?? '') as { messages: Record<string, unknown>[] }
    expect(messages).toHaveLength(100)
    expect(messages[0]).toMatchObject({ userId: null, nickname: `#${eva.id.slice(0, 4)}`, content: 'Words' })
    for (const text of meanwhile.toSpliced(1, 1)) expect(text).not.toMatch(/eva/i)
    for (const text of meanwhile.slice(4)) expect(text).not.toContain(eva.id)
    for (const [method, path, body] of [
      ['PATCH', '/status', { disabled: false }],
      ['PATCH', '/status', { disabled: true }],
      ['PUT', '/platform-admin', { granted: true }],
      ['GET', '/sessions', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = await ada.browser.send(`/api/admin/users/${eva.id}${path}`, { method, body })
      expect([method, path, await refusal(answer)]).toEqual([method, path, [404, 'not_found']])
    }
    for (const action of ['kick', 'ban']) {
      const body = { action }
      const answer = await olga.browser.send(`/api/rooms/${roomId}/members/${eva.id}/remove`, { body })
      expect([action, await refusal(answer)]).toEqual([action, [404, 'not_found']])
    }
    // The person is a new user at the next sign-in.
    const again = await signedInUser(service, { sub: 'eva', name: 'Eva' })
    expect(again.id).not.toBe(eva.id)
    expect(await referring(service, again.id)).toMatchObject({ 'identities.user_id': 1 })
    await succeed(eraseAccount(again))

    // The process is killed after one batch. Another one continues.
    expect(await service.rooms.database.write(continueErasure)).toBe('more')
    expect(await referring(service, eva.id)).toMatchObject({ 'room_messages.user_id': MESSAGE_COUNT - PIECE })
    expect(await readTexts()).toEqual(meanwhile)
    const next = await nodeOf(service)
    const lefts: number[] = []
    const turns = new Set<number>()
    const countNames = [
      'room_messages.user_id',
      'room_messages.deleted_by',
      'audit_events.actor_user_id',
    ] as const
    let isOver = false
    next.rooms.database.afterWrite(async () => {
      if (isOver) return
      const counts = await referring(next, eva.id)
      lefts.push(...countNames.map((name) => counts[name] ?? 0))
      setImmediate(() => turns.add(lefts.length))
    })
    service.clock.ms += MINUTE
    await next.rooms.jobs.runDue()
    isOver = true
    const drops = lefts.slice(countNames.length).map((left, at) => (lefts[at] ?? 0) - left)
    expect(Math.max(...drops)).toBe(PIECE)
    expect(turns.size).toBeGreaterThanOrEqual(MESSAGE_COUNT / PIECE - 1)
    expect(await referring(service, eva.id)).toEqual({})
    expect(await read.selectFrom('users').select('id').where('id', '=', eva.id).execute()).toEqual([])
    const states = await read.selectFrom('platform_state').select('key').execute()
    expect(states.filter(({ key }) => key.includes(eva.id))).toEqual([])
    expect(await readTexts()).toEqual(meanwhile)
    const messageCount = await read
      .selectFrom('room_messages')
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow()
    expect(Number(messageCount.count)).toBe(MESSAGE_COUNT + DONE)
    expect(service.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  test('other users can sign in and leave while an account is being erased', async () => {
    const { service, eva } = await withEva(await newUrl())
    await erase(eva)
    const { database } = service.rooms
    const leave = async () => erase(await signedInUser(service, { sub: 'bo', name: 'Bo' }))
    let isFirst = true
    let left: unknown
    database.afterWrite(async () => {
      if (!isFirst || (await referring(service, eva.id))['room_messages.user_id'] === MESSAGE_COUNT) return
      isFirst = false
      await leave()
      left = await referring(service, eva.id)
    })
    service.clock.ms += MINUTE
    await service.rooms.jobs.runDue()
    expect(left).toMatchObject({ 'room_messages.user_id': MESSAGE_COUNT - PIECE })
    expect(await referring(service, eva.id)).toEqual({})
  })

  if (dialect === 'postgres')
    test('other users can sign in and leave in the middle of a batch', async () => {
      const { service, eva } = await withEva(await newUrl())
      await erase(eva)
      await service.rooms.database.write(async (tx) => {
        expect(await continueErasure(tx)).toBe('more')
        await erase(await signedInUser(service, { sub: 'bo', name: 'Bo' }))
      })
      expect(await referring(service, eva.id)).toMatchObject({
        'room_messages.user_id': MESSAGE_COUNT - PIECE,
      })
    })

  test('a user who creates a room while the account is being erased is signed out and owns nothing', async () => {
    const { service, eva } = await withEva(await newUrl())
    const { database } = service.rooms
    const { opened } = await database.write(async (tx) => {
      await lockAccount(tx, eva.id)
      await deleteUser(tx, eva.id, service.clock.ms)
      // Inside an object, because returning the promise itself would make the transaction wait for
      // a request that waits for the transaction.
      const begun = { opened: eva.browser.send('/api/rooms', { body: { name: 'Quay' } }) }
      await untilRequestsWait(service, tx)
      return begun
    })
    expect(await refusal(await opened)).toEqual([401, 'unauthenticated'])
    service.clock.ms += MINUTE
    await service.rooms.jobs.runDue()
    expect(await referring(service, eva.id)).toEqual({})
  })

  test('R14.7: guests are purged one after the other, and a guest with many messages is purged in batches', async () => {
    const service = await rooms({ url: await newUrl() })
    const olga = await member(service, 'Olga')
    const { id: roomId } = await createRoom(olga)
    const guests = [await signedInGuest(service, 'Gus'), await signedInGuest(service, 'Gun')]
    await doMuch(service, roomId, guests[0]?.id ?? '', 2_500)
    for (const { browser } of guests) await browser.json('/api/auth/logout', { body: {} })
    service.clock.ms += 7 * DAY
    const sizes = new Set<number>()
    service.rooms.database.afterWrite(async () => {
      const left = await service.rooms.database.read.selectFrom('users').select('id').execute()
      sizes.add(left.length)
    })
    await service.rooms.jobs.runDue()
    for (const { id } of guests) expect(await referring(service, id)).toEqual({})
    // Each in its own transaction.
    expect([...sizes]).toEqual([3, 2, 1])
  })

  test('erasure covers every column that refers to an account', async () => {
    const { rooms: service } = await rooms({ url: await newUrl() })
    const { rows } =
      dialect === 'sqlite'
        ? await sql<{ referring: string }>`
            select s.name || '.' || k."from" as referring
            from sqlite_schema as s, pragma_foreign_key_list(s.name) as k
            where s.type = 'table' and k."table" = 'users' and k."from" <> 'is_guest'`.execute(
            service.database.read,
          )
        : await sql<{ referring: string }>`
            select conrelid::regclass::text || '.' || attname as referring
            from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any (conkey)
            where contype = 'f' and confrelid = 'users'::regclass and attname <> 'is_guest'
              and connamespace = current_schema()::regnamespace`.execute(service.database.read)
    // Rooms get another owner first.
    expect(rows.map(({ referring: name }) => name).toSorted()).toEqual(
      [...USER_REFERENCES.map((each) => each.join('.')), 'rooms.owner_id'].toSorted(),
    )
  })
})
