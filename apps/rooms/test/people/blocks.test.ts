import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { canAddress } from '../../src/users/blocks.ts'
import {
  type TestUser,
  createMessage,
  createRoom,
  eraseAccount,
  guest,
  listedRoom,
  makeMember,
  member,
  readMessages,
  refusal,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const NOWHERE = '11111111-2222-4333-8444-555555555555'

interface BlockPage {
  blocks: { user: { id: string; nickname: string }; createdAt: string }[]
  nextCursor: string | null
}

const block = ({ browser }: TestUser, userId: string, method = 'PUT') =>
  browser.send(`/api/blocks/${userId}`, { method })
const listBlocks = async ({ browser }: TestUser, query = '') => browser.json<BlockPage>(`/api/blocks${query}`)

eachDialect((dialect, newUrl, testOnSqlite) => {
  let rooms: TestRooms
  let eva: TestUser
  let max: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: { blocks_person: 3, rooms_per_hour: 1000 } })
    eva = await member(rooms, 'Eva')
    max = await member(rooms, 'Max')
  })
  afterAll(() => rooms.close())

  test('R37.4: messages of a blocked person are answered 201 and neither unread nor mentions for who blocked', async () => {
    const { id } = await createRoom(max, { name: 'Garden' })
    await makeMember(rooms, id, eva)
    const other = await member(rooms, 'Olga')
    await makeMember(rooms, id, other)
    await succeed(block(eva, max.user.id))
    const { id: messageId } = await createMessage(max, id, `Hello <@${eva.user.id}>`)
    expect(await listedRoom(eva, id)).toMatchObject({ unread: 0, mentions: 0 })
    // Others, and messages of others, count as before.
    expect(await listedRoom(other, id)).toMatchObject({ unread: 1 })
    await createMessage(other, id, `Hi <@${eva.user.id}>`)
    expect(await listedRoom(eva, id)).toMatchObject({ unread: 1, mentions: 1 })
    const { messages } = await readMessages(eva, id)
    expect(messages.map((message) => message.id)).toContain(messageId)
    await succeed(block(eva, max.user.id, 'DELETE'))
    expect(await listedRoom(eva, id)).toMatchObject({ unread: 2, mentions: 2 })
  })

  test('R37.4a: unknown, disabled, guest, and who blocks the caller cannot be addressed, all others can', async () => {
    const { database } = rooms.rooms
    const gustav = await guest(rooms)
    const [disabled, blocker, erased] = [
      await member(rooms, 'D'),
      await member(rooms, 'B'),
      await member(rooms, 'E'),
    ]
    await succeed(block(blocker, eva.user.id))
    await database.write((tx) =>
      tx.updateTable('users').set({ disabled: 1 }).where('id', '=', disabled.user.id).execute(),
    )
    expect((await eraseAccount(erased)).status).toBe(200)
    const can = (...ids: string[]) => canAddress(database.read, dialect, eva.user.id, ids)
    expect(await can(max.user.id, max.user.id)).toBe(true)
    for (const id of [NOWHERE, gustav.user.id, disabled.user.id, blocker.user.id, erased.user.id]) {
      expect([id, await can(id)]).toEqual([id, false])
      expect([id, await can(max.user.id, id)]).toEqual([id, false])
    }
    // Blocks have a direction.
    expect(await canAddress(database.read, dialect, blocker.user.id, [eva.user.id])).toBe(true)
  })

  test('R37.4b: blocks are listed page by page for who blocked, counted in the audit log, and end with an account', async () => {
    const sam = await member(rooms, 'Sam')
    const [one, two, gustav] = [
      await member(rooms, 'One'),
      await member(rooms, 'Two'),
      await guest(rooms, 'Three'),
    ]
    for (const each of [one, two, gustav]) {
      rooms.clock.ms += 1
      await succeed(block(sam, each.user.id))
      await succeed(block(sam, each.user.id))
    }
    expect(await refusal(await block(sam, max.user.id))).toEqual([409, 'limit_reached'])
    const first = await listBlocks(sam, '?limit=2')
    expect(first.blocks.map(({ user }) => user.nickname)).toEqual(['Three', 'Two'])
    const second = await listBlocks(sam, `?limit=2&cursor=${first.nextCursor}`)
    expect([second.blocks.map(({ user }) => user.nickname), second.nextCursor]).toEqual([['One'], null])
    expect((await listBlocks(one)).blocks).toEqual([])
    const audited = await rooms.rooms.database.read
      .selectFrom('audit_events')
      .selectAll()
      .where('actor_user_id', '=', sam.user.id)
      .where('action', '=', 'account.blocks')
      .execute()
    expect(audited.map(({ target_id, metadata }) => [target_id, JSON.parse(metadata)])).toEqual([
      [null, { count: 1 }],
      [null, { count: 2 }],
      [null, { count: 3 }],
    ])
    expect((await eraseAccount(one)).status).toBe(200)
    expect((await listBlocks(sam)).blocks.map(({ user }) => user.nickname)).toEqual(['Three', 'Two'])
  })

  testOnSqlite(
    'R37.4c: guests block no one, no one blocks themselves, and unknown people are 404',
    async () => {
      const gustav = await guest(rooms)
      expect(await refusal(await block(gustav, eva.user.id))).toEqual([403, 'guest_not_permitted'])
      expect(await refusal(await block(eva, eva.user.id))).toEqual([409, 'own_account'])
      expect(await refusal(await block(eva, NOWHERE))).toEqual([404, 'not_found'])
      await succeed(block(eva, NOWHERE, 'DELETE'))
    },
  )
})
