import type { Bulk, Rows } from '@latchkey/database/archive/bulk-types'
import { namesOf } from '../../apps/rooms/src/users/names.ts'

/** 2026-11-25 12:00 UTC. */
export const NOW = Date.UTC(2026, 10, 25, 12)
const DAY_MS = 86_400_000
const YEARS_MS = 730 * DAY_MS

const SYLLABLES =
  'ka ri mo ten shi lu ver dan pro mar ket ing so nal bre fi gro win ter sum mer day pla net ko ral est ion con duc'.split(
    ' ',
  )
const VOCABULARY = 20_000
const MEMBERS = 2_000
const GUESTS = 10
export const ROOMS = 10_000
const ROOMS_OF_A_MEMBER = 20
const BATCH = 5_000

/** Numbers between 0 and 1, the same in every run. */
function createRandom(): () => number {
  let state = 12_345
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) >>> 0) / 2 ** 32
  }
}

const idOf = (kind: string, n: number) =>
  `${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}-0000-4000-${kind}-${n.toString(16).padStart(12, '0')}`
export const userId = (n: number) => idOf('8000', n)
export const roomId = (n: number) => idOf('9000', n)
export const FIRST_GUEST = MEMBERS

/**
 * An instance of two years: half of the rooms are public, the others unlisted or private, and most
 * messages are in few of them. Guests may enter 100 small rooms. "the" is in six tenths of the
 * messages, "friday" and "black" in a tenth each, and in 20 of a million both. "alphaone" and
 * "betatwo" are in three tenths each, never together. "oldword" is in a quarter of the oldest fifth
 * only, "needlefish" in one message, and "apollo" in all messages of private rooms.
 */
export async function fill(bulk: Bulk, messageCount: number): Promise<void> {
  const random = createRandom()
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <Item>(items: readonly Item[]) => items[below(items.length)] as Item
  /** An index below the limit, and the smaller the likelier. */
  const rank = (limit: number) => Math.min(limit - 1, Math.floor(limit ** random()) - 1)
  const vocabulary = Array.from({ length: VOCABULARY }, () =>
    Array.from({ length: 1 + below(4) }, () => pick(SYLLABLES)).join(''),
  )
  const word = () => vocabulary[rank(VOCABULARY)] as string
  const store = writerOf(bulk)
  for (let n = 0; n < MEMBERS + GUESTS; n++)
    await store('users', {
      id: userId(n),
      ...namesOf(`${word()} ${n}`),
      avatar_color: '#1565c0',
      disabled: 0,
      is_guest: n < MEMBERS ? 0 : 1,
      created_at: NOW - YEARS_MS,
      last_seen_at: NOW,
    })
  const isPrivate = (room: number) => room % 10 >= 7
  const lastSeq = new Map<number, number>()
  const rooms = Array.from({ length: messageCount }, () => rank(ROOMS))
  for (const room of rooms) lastSeq.set(room, (lastSeq.get(room) ?? 0) + 1)
  await store.flush()
  for (let n = 0; n < ROOMS; n++)
    await store('rooms', {
      id: roomId(n),
      name: `${word()} ${n}`,
      search_name: String(n),
      owner_id: userId(n % MEMBERS),
      owner_since: NOW - YEARS_MS,
      max_participants: 50,
      visibility: n % 10 < 5 ? 'public' : isPrivate(n) ? 'private' : 'unlisted',
      allow_guests: n % 100 === 50 ? 1 : 0,
      default_role: 'speaker',
      history_visibility: n % 7 === 3 ? 'since_membership' : 'all',
      retention_days: null,
      voice: 'video',
      voice_screen: 1,
      voice_guests: 'listen',
      last_seq: lastSeq.get(n) ?? 0,
      created_at: NOW - YEARS_MS + n,
      active_at: NOW - YEARS_MS + n,
    })
  await store.flush()
  for (let n = 0; n < MEMBERS; n++)
    for (const room of new Set(Array.from({ length: ROOMS_OF_A_MEMBER }, () => rank(ROOMS))))
      if (room % MEMBERS !== n)
        await store('room_members', {
          room_id: roomId(room),
          user_id: userId(n),
          role: 'speaker',
          joined_at: NOW - below(YEARS_MS),
          joined_seq: below(lastSeq.get(room) ?? 1),
        })
  await store.flush()
  const seqs = new Map<number, number>()
  for (const [n, room] of rooms.entries()) {
    const words = Array.from({ length: 4 + below(18) }, word)
    if (n % 10 < 6) words.push('the')
    if (n % 10 === 3) words.push('friday')
    if (n % 10 === 7 || n % 50_000 === 3) words.push('black')
    if (n % 10 < 6) words.push(n % 10 < 3 ? 'alphaone' : 'betatwo')
    if (n < messageCount / 5 && n % 4 === 0) words.push('oldword')
    if (n === 4242) words.push('needlefish')
    if (isPrivate(room)) words.push('apollo')
    if (n % 20 === 0) words.push(`https://${word()}.example/${word()}`)
    const seq = (seqs.get(room) ?? 0) + 1
    seqs.set(room, seq)
    const author = userId(rank(MEMBERS))
    await store('room_messages', {
      id: idOf('a000', n),
      room_id: roomId(room),
      seq,
      user_id: author,
      author_name: `#${author.slice(0, 4)}`,
      author_guest: 0,
      content: words
        .map((one, at) => (at === 0 ? one.charAt(0).toUpperCase() + one.slice(1) : one))
        .join(' '),
      created_at: NOW - Math.floor(((messageCount - n) * YEARS_MS) / messageCount),
    })
  }
  await store.flush()
}

type Value = string | number | null

/** Collects rows of one table at a time, and inserts them in batches. */
function writerOf(bulk: Bulk) {
  let rows: Record<string, Value>[] = []
  let table = ''
  const flush = async () => {
    const [first] = rows
    if (!first) return
    const columns = Object.keys(first)
    const types = columns.map((column): Rows['types'][number] =>
      typeof first[column] === 'number' ? 'int' : 'text',
    )
    await bulk.insert({
      table,
      columns,
      types,
      rows: rows.map((row) => columns.map((column) => row[column] ?? null)),
    })
    rows = []
  }
  const store = async (name: string, row: Record<string, Value>) => {
    table = name
    rows.push(row)
    if (rows.length === BATCH) await flush()
  }
  return Object.assign(store, { flush })
}
