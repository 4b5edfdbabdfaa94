import { createCursor, readCursor } from '@latchkey/http/cursor'
import { text } from '@latchkey/http/text'
import { operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { Id } from '../api/wire.ts'
import { findBlockersAmong } from '../users/blocks.ts'
import { PeoplePage, PeopleQuery, PersonAnswer, PersonParams, toListedPerson } from './schema.ts'
import { type NamePosition, findPeople, selectPeoplePage, selectSharedRooms } from './store.ts'

const tag = 'People'
const MAX_SHARED_ROOMS = 20

export const listPeople = operation({
  id: 'listPeople',
  methods: ['GET'],
  path: '/people',
  scope: 'member',
  tag,
  summary: 'List the people here, by name',
  query: PeopleQuery,
  result: PeoplePage,
  async handler(context, { query: { q: part, limit, cursor } }) {
    const { database, actor, rates, now: nowMs } = context
    const { id: userId } = actor.user
    if (part !== '') rates.take('people_searches_per_minute', userId)
    const after = cursor === undefined ? undefined : positionOf(part, cursor)
    const candidates = await selectPeoplePage(database, { part, after, limit: limit + 1, nowMs })
    const rows = candidates.slice(0, limit)
    const ids = rows.map(({ id }) => id)
    const blockers = await findBlockersAmong(database.read, database.dialect, ids, userId)
    const last = candidates.length > limit ? rows.at(-1) : undefined
    return {
      people: rows.map((row) => toListedPerson(row, blockers.has(row.id), nowMs)),
      nextCursor: last ? createCursor(['people', part], [last.search_name, last.id]) : null,
    }
  },
})

const ID_LENGTH = 36

/** Throws 400 for a cursor of another list. */
function positionOf(part: string, cursor: string): NamePosition {
  const position = readCursor(['people', part], cursor) ?? ''
  const id = position.slice(-ID_LENGTH)
  const name = position.slice(0, -ID_LENGTH - 1)
  if (!Id.safeParse(id).success || !text().safeParse(name).success)
    throw failure('invalid_request', {
      text: 'cursor: does not belong to this list',
      fields: [{ path: 'cursor', code: 'custom' }],
    })
  return [name, id]
}

const getPerson = operation({
  id: 'getPerson',
  methods: ['GET'],
  path: '/people/{userId}',
  scope: 'member',
  tag,
  summary: 'Read what a person shows of themselves',
  params: PersonParams,
  result: PersonAnswer,
  async handler({ database, actor, now: nowMs }, { params: { userId } }) {
    const { id: ownId } = actor.user
    const [row] = await findPeople(database, [userId], nowMs)
    if (!row) throw failure('not_found')
    const blockers = await findBlockersAmong(database.read, database.dialect, [userId], ownId)
    return {
      person: toListedPerson(row, blockers.has(userId), nowMs),
      rooms:
        userId === ownId ? [] : await selectSharedRooms(database.read, [ownId, userId], MAX_SHARED_ROOMS),
    }
  },
})

export const peopleOperations = [listPeople, getPerson]
