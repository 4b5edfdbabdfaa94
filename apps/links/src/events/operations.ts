import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { EventPage, EventsQuery } from './schema.ts'
import { findEventRange, readEvents } from './store.ts'

/** Interval at which a waiting request reads events: not every event is a change that wakes it. */
const LOOK_EVERY_MS = 1_000
/** Limits of waiting requests on this node. Further ones are answered at once. */
const MAX_WAITING = { ofPerson: 100, ofAll: 1_000 }

/** The identity of each waiting request. */
const waiting = new Map<symbol, string>()

function mayWait(identity: string): boolean {
  const own = waiting.values().filter((waiter) => waiter === identity)
  return waiting.size < MAX_WAITING.ofAll && [...own].length < MAX_WAITING.ofPerson
}

export const listEvents = operation({
  id: 'listEvents',
  methods: ['GET'],
  path: '/events',
  scope: 'read',
  tag: 'Events',
  summary: 'List events in the order in which they happened, and wait for the next ones',
  query: EventsQuery,
  result: EventPage,
  failures: ['events_deleted'],
  async handler(context, { query: { wait, ...filter } }) {
    const { database } = context
    const { oldest, newest } = await findEventRange(database.read)
    const { after = newest } = filter
    if (after !== 0 && (after < oldest || after > newest)) throw failure('events_deleted')
    const page = await readEvents(database, { ...filter, after }, newest)
    if (page.events.length > 0 || wait === 0 || !mayWait(context.identity)) return page
    const request = Symbol('waiting')
    waiting.set(request, context.identity)
    try {
      return await waitForEvents(context, { ...filter, after: page.last_seq }, wait * 1000)
    } finally {
      waiting.delete(request)
    }
  },
})

type Filter = Parameters<typeof readEvents>[1]

async function waitForEvents(context: Context, filter: Filter, waitMs: number): Promise<EventPage> {
  const endMs = performance.now() + waitMs
  const subscription = await context.followChanges()
  try {
    for (let { after } = filter; ;) {
      const { newest } = await findEventRange(context.database.read)
      const page = await readEvents(context.database, { ...filter, after }, newest)
      // The answer may come long after the key was checked.
      await context.requireCaller?.()
      const leftMs = endMs - performance.now()
      if (page.events.length > 0 || leftMs <= 0) return page
      if ((await subscription.next(Math.min(leftMs, LOOK_EVERY_MS))) === 'ended') return page
      after = page.last_seq
    }
  } finally {
    subscription.end()
  }
}
