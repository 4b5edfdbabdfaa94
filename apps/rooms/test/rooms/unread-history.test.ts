// Rooms that start to keep their history after a time without one (R17.8, docs/decisions/0017).
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

const MESSAGE_COUNT = 5_000
const PIECE = 1_000

const { rooms } = roomsPerTest()

const TABLES = ['room_messages', 'room_events'] as const

/** The numbers of messages and events in the room. */
async function counts({ rooms: { database } }: TestRooms, roomId: string): Promise<number[]> {
  const numbers: number[] = []
  for (const table of TABLES) {
    const { count } = await database.read
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .where('room_id', '=', roomId)
      .executeTakeFirstOrThrow()
    numbers.push(Number(count))
  }
  return numbers
}

/** A room with many messages, first readable by all, and then hidden from later participants. */
async function withUnread(url: string) {
  const service = await rooms({ url })
  const owner = await member(service, 'Olga')
  const { id } = await createRoom(owner, { historyVisibility: 'all', defaultRole: 'speaker' })
  await service.rooms.database.write(async (tx) => {
    const row = { room_id: id, created_at: service.clock.ms }
    const who = { user_id: owner.user.id, client_id: null, author_name: '', author_guest: 0 } as const
    const what = { content: 'Words', deleted_at: null, deleted_by: null }
    for (let first = 1; first <= MESSAGE_COUNT; first += PIECE) {
      const seqs = Array.from({ length: PIECE }, (_, at) => first + at)
      const events = seqs.map((seq) => ({ ...row, seq, type: 'message.created' as const, data: '{}' }))
      await tx.insertInto('room_events').values(events).execute()
      const messages = seqs.map((seq) => ({ ...row, ...who, ...what, id: `${seq} ${id}`, seq }))
      await tx.insertInto('room_messages').values(messages).execute()
    }
    await tx.updateTable('rooms').set({ last_seq: MESSAGE_COUNT }).where('id', '=', id).execute()
  })
  await change(owner, id, 'none')
  return { service, owner, id }
}

async function change(who: TestUser, roomId: string, historyVisibility: string): Promise<void> {
  expect((await changeSettings(who, roomId, { historyVisibility })).status).toBe(200)
}

/**
 * Runs an action once, after a batch that leaves at most this many messages, while other writers
 * may run.
 */
function between(
  service: TestRooms,
  { id, left = MESSAGE_COUNT - PIECE }: { id: string; left?: number },
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
  test('R17.8b: hidden messages are deleted in batches when the history becomes readable, including those posted meanwhile', async () => {
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
    // The change of settings.
    expect(await counts(service, id)).toEqual([0, 1])
    const later = await member(service, 'Bob')
    await join(later, id)
    expect([await readContents(later, id), await readContents(owner, id)]).toEqual([[], []])
    await createMessage(later, id, 'Afterwards')
    expect(await readContents(owner, id)).toEqual(['Afterwards'])
  })

  test('messages posted once the history is readable stay, although another such change is still running', async () => {
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

  test('messages that only present participants can read are deleted with the change itself', async () => {
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

  test('two users who make the history readable at once both succeed, and earlier messages are deleted', async () => {
    const { service, owner, id } = await withUnread(await newUrl())
    await Promise.all([change(owner, id, 'all'), change(owner, id, 'all')])
    expect(await counts(service, id)).toEqual([0, 1])
    await createMessage(owner, id, 'Afterwards')
    expect(await readContents(owner, id)).toEqual(['Afterwards'])
  })

  test('a user who loses the right to change the room meanwhile has deleted nothing', async () => {
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
    expect(await counts(service, id)).toEqual([1, MESSAGE_COUNT + 2])
    const room = await database.read.selectFrom('rooms').select('history_visibility').executeTakeFirst()
    expect(room).toEqual({ history_visibility: 'none' })
  })
})
