// A room that no longer keeps from those who come later what is said in it (R17.8, docs/decisions/0017).
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  changeSettings,
  createMessage,
  createRoom,
  join,
  member,
  readContents,
  refusal,
} from '../actions.ts'
import { roomsPerTest } from '../per-test.ts'
import type { TestRooms } from '../rooms.ts'

const SAID = 5_000
const PIECE = 1_000

const { rooms } = roomsPerTest()

const TABLES = ['room_messages', 'room_events'] as const

/** How many messages and events the room has. */
async function counts({ rooms: { database } }: TestRooms, roomId: string): Promise<number[]> {
  const found: number[] = []
  for (const table of TABLES) {
    const { count } = await database.read
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .where('room_id', '=', roomId)
      .executeTakeFirstOrThrow()
    found.push(Number(count))
  }
  return found
}

/** Somebody's room in which much was said that everybody could read, and that nobody who comes later may. */
async function withUnread(url: string) {
  const service = await rooms({ url })
  const owner = await member(service, 'Olga')
  const { id } = await createRoom(owner, { historyVisibility: 'all', defaultRole: 'speaker' })
  await service.rooms.database.write(async (tx) => {
    const row = { room_id: id, created_at: service.clock.ms }
    const who = { user_id: owner.user.id, client_id: null, author_name: '', author_guest: 0 } as const
    const what = { content: 'Words', deleted_at: null, deleted_by: null }
    for (let first = 1; first <= SAID; first += PIECE) {
      const seqs = Array.from({ length: PIECE }, (_, at) => first + at)
      const events = seqs.map((seq) => ({ ...row, seq, type: 'message.created' as const, data: '{}' }))
      await tx.insertInto('room_events').values(events).execute()
      const messages = seqs.map((seq) => ({ ...row, ...who, ...what, id: `${seq} ${id}`, seq }))
      await tx.insertInto('room_messages').values(messages).execute()
    }
    await tx.updateTable('rooms').set({ last_seq: SAID }).where('id', '=', id).execute()
  })
  await change(owner, id, 'none')
  return { service, owner, id }
}

async function change(who: TestUser, roomId: string, historyVisibility: string): Promise<void> {
  expect((await changeSettings(who, roomId, { historyVisibility })).status).toBe(200)
}

/** Once, when a piece has left no more than so many messages, and others have their turn. */
function between(
  service: TestRooms,
  { id, left = SAID - PIECE }: { id: string; left?: number },
  act: () => Promise<unknown>,
): void {
  let isOver = false
  service.rooms.database.afterWrite(async () => {
    if (isOver || ((await counts(service, id))[0] ?? 0) > left) return
    isOver = true
    await act()
  })
}

eachDialect((_dialect, newUrl) => {
  test('R17.8: what was said while nobody who came later could read it is gone when they can, in pieces, also what is said meanwhile', async () => {
    const { service, owner, id } = await withUnread(await newUrl())
    const seen: number[][] = [await counts(service, id)]
    let isOver = false
    between(service, { id }, () => createMessage(owner, id, 'Meanwhile'))
    service.rooms.database.afterWrite(async () => {
      if (!isOver) seen.push(await counts(service, id))
    })
    await change(owner, id, 'all')
    isOver = true
    const drops = seen.slice(1).flatMap((now, at) => now.map((count, of) => (seen[at]?.[of] ?? 0) - count))
    expect(Math.max(...drops)).toBe(PIECE)
    // That the settings changed.
    expect(await counts(service, id)).toEqual([0, 1])
    const later = await member(service, 'Bob')
    await join(later, id)
    expect([await readContents(later, id), await readContents(owner, id)]).toEqual([[], []])
    await createMessage(later, id, 'Afterwards')
    expect(await readContents(owner, id)).toEqual(['Afterwards'])
  })

  test('what is said once everybody may read it stays, though another change is still on its way to the same', async () => {
    const { service, owner, id } = await withUnread(await newUrl())
    between(service, { id }, async () => {
      await change(owner, id, 'since_membership')
      await createMessage(owner, id, 'Stays')
    })
    await change(owner, id, 'all')
    expect(await counts(service, id)).toEqual([1, 3])
    const later = await member(service, 'Bob')
    expect([await readContents(later, id), await readContents(owner, id)]).toEqual([['Stays'], ['Stays']])
  })

  test('what only those who are there can read goes with the change itself', async () => {
    const { service, owner, id } = await withUnread(await newUrl())
    const here = await member(service, 'Bob')
    await join(here, id)
    const { database } = service.rooms
    await database.write((tx) =>
      tx.updateTable('room_visits').set({ started_seq: 100 }).where('room_id', '=', id).execute(),
    )
    expect(await readContents(here, id)).toHaveLength(50)
    const seen = new Set<number>()
    database.afterWrite(async () => void seen.add((await counts(service, id))[0] ?? 0))
    await change(owner, id, 'all')
    expect([...seen]).toEqual([0])
    expect(await counts(service, id)).toEqual([0, 1])
    expect(await readContents(here, id)).toEqual([])
  })

  test('two who make a room readable at once both succeed, and what was said before is gone', async () => {
    const { service, owner, id } = await withUnread(await newUrl())
    await Promise.all([change(owner, id, 'all'), change(owner, id, 'all')])
    expect(await counts(service, id)).toEqual([0, 1])
    await createMessage(owner, id, 'Afterwards')
    expect(await readContents(owner, id)).toEqual(['Afterwards'])
  })

  test('whoever loses the right to change the room meanwhile has taken nothing from those who are there', async () => {
    const { service, owner, id } = await withUnread(await newUrl())
    const { database } = service.rooms
    const heir = await member(service, 'Bob')
    await join(heir, id)
    await createMessage(owner, id, 'Heard')
    between(service, { id, left: 1 }, () =>
      database.write((tx) =>
        tx.updateTable('rooms').set({ owner_id: heir.user.id }).where('id', '=', id).execute(),
      ),
    )
    expect(await refusal(await changeSettings(owner, id, { historyVisibility: 'all' }))).toEqual([
      403,
      'forbidden',
    ])
    expect(await readContents(heir, id)).toEqual(['Heard'])
    expect(await counts(service, id)).toEqual([1, SAID + 2])
    const room = await database.read.selectFrom('rooms').select('history_visibility').executeTakeFirst()
    expect(room).toEqual({ history_visibility: 'none' })
  })
})
