import { type Database, inList } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import type { Event } from '../events/schema.ts'
import { findEvent, findEventRange, readEvents } from '../events/store.ts'
import type { EventType } from '../events/types.ts'
import type { EventSource } from './dispatcher.ts'
import type { Message } from './sender.ts'
import type { WebhookRow } from './store.ts'

type Db = Pick<Database<Tables>, 'read' | 'dialect'>

/** Events that are read at once, to find one of a bundle. */
const EVENTS_PER_READ = 100

/** The events that anyone may read, as those of webhooks. */
export function createEventSource(database: Db): EventSource {
  const newestSeq = async () => (await findEventRange(database.read)).newest
  return {
    newestSeq,
    async findNext({ position, types: json, bundle_id: bundle }) {
      const chosen = JSON.parse(json) as EventType[]
      // An import is no event of a bundle, whose webhooks get those of its links.
      const types = bundle === null ? chosen : chosen.filter((type) => type !== 'link.imported')
      const filter = {
        after: position,
        types: chosen.length > 0 ? types : undefined,
        limit: bundle === null ? 1 : EVENTS_PER_READ,
      }
      const page = await readEvents(database, filter, await newestSeq())
      for (const event of page.events) {
        const own = bundle === null ? event : await partOf(database, bundle, event)
        if (own) return { message: toMessage(own), lastSeq: own.seq }
      }
      return { message: undefined, lastSeq: page.last_seq }
    },
  }
}

/** The message of an event, as a webhook of this bundle gets it; undefined once it is not stored any more. */
export async function findMessage(
  database: Db,
  { bundle_id: bundle }: Pick<WebhookRow, 'bundle_id'>,
  seq: number,
): Promise<Message | undefined> {
  const event = await findEvent(database.read, seq)
  if (!event) return undefined
  const own = bundle === null ? event : await partOf(database, bundle, event)
  return own && toMessage(own)
}

function toMessage({ seq, type, at, data }: Event): Message {
  return { id: `evt_${seq}`, seq, type, body: JSON.stringify({ seq, type, at, data }) }
}

/** The part of an event that is about a bundle and its links; undefined without one. */
async function partOf(
  database: Db,
  bundle: NonNullable<WebhookRow['bundle_id']>,
  event: Event,
): Promise<Event | undefined> {
  const { bundle_id, link, clicks } = event.data
  if (bundle_id === bundle) return event
  if (clicks) {
    const members = await findMembers(database, bundle, [...new Set(clicks.map((click) => click.link_id))])
    const own = clicks.filter((click) => members.has(click.link_id))
    return own.length > 0 ? { ...event, data: { ...event.data, clicks: own } } : undefined
  }
  const bundles = link?.['bundles']
  return Array.isArray(bundles) && bundles.includes(bundle) ? event : undefined
}

async function findMembers(
  { read, dialect }: Db,
  bundle: number,
  linkIds: readonly number[],
): Promise<Set<number>> {
  const rows = await read
    .selectFrom('bundle_link')
    .select('link_id')
    .where('bundle_id', '=', bundle)
    .where(inList(dialect, 'link_id', linkIds))
    .execute()
  return new Set(rows.map((row) => row.link_id))
}
