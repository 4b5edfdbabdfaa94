import { createCursor } from '@latchkey/http/cursor'
import { type Database, inList } from '@latchkey/database/database'
import { lockRows } from '@latchkey/database/locks'
import type { DialectName } from '@latchkey/database/url'
import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { Tables, Tx } from '../db/tables.ts'
import { readPlanChanges } from '../history/list.ts'
import type { SubjectVersions } from '../changes/states.ts'
import { parseSlugKey } from '../urls/slug.ts'
import { type Page, parseCursor } from '../api/paging.ts'
import { toPlanChange } from './diff.ts'
import type { Op, Plan, PlanChange, PlanSummary, PlanWarning } from './schema.ts'
import type { PlanState } from './states.ts'
import { isDestructive } from './warnings.ts'

export type PlanRow = Selectable<Tables['plan']>

const documents = ['ops', 'diff', 'versions'] as const
export type PlanSummaryRow = Omit<PlanRow, (typeof documents)[number]>

const summaryColumns = [
  'id',
  'title',
  'state',
  'identity',
  'via',
  'assistant',
  'assistant_name',
  'created_at',
  'expires_at',
  'applied_at',
  'undone_at',
  'op_count',
  'change_count',
  'warnings',
] as const

export async function findPlan(db: Kysely<Tables>, id: number): Promise<PlanRow | undefined> {
  return db.selectFrom('plan').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The row of the plan, locked until the transaction ends. SQLite has a single writer anyway. */
export async function lockPlan(
  tx: Tx,
  { dialect }: Pick<Database<Tables>, 'dialect'>,
  id: number,
): Promise<PlanRow | undefined> {
  return lockRows(dialect, tx.selectFrom('plan').selectAll().where('id', '=', id), 'id').executeTakeFirst()
}

export function insertPlan(tx: Tx, plan: Insertable<Tables['plan']>): Promise<PlanRow> {
  return tx.insertInto('plan').values(plan).returningAll().executeTakeFirstOrThrow()
}

export function updatePlan(tx: Tx, id: number, changes: Updateable<Tables['plan']>): Promise<PlanRow> {
  return tx.updateTable('plan').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

interface PlanFilter {
  /** Who lists plans: only their own. Undefined for administrators, who list those of everyone. */
  reader: string | undefined
  /** For whom changes were planned. */
  identity?: string | undefined
  state?: PlanState | undefined
  now: number
}

/** Plans, the latest first. */
export async function selectPlans(
  db: Kysely<Tables>,
  { reader, identity, state, now }: PlanFilter,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<PlanSummaryRow>> {
  const list = ['plans', reader ?? '', identity ?? '', state ?? '']
  const after = parseCursor(list, cursor)
  const matches = db
    .selectFrom('plan')
    .$if(reader !== undefined, (query) => query.where('identity', '=', reader ?? ''))
    .$if(identity !== undefined, (query) => query.where('identity', '=', identity ?? ''))
    .$if(state !== undefined, (query) =>
      query.where('state', '=', state === undefined || state === 'expired' ? 'open' : state),
    )
    .$if(state === 'open', (query) => query.where('expires_at', '>', now))
    .$if(state === 'expired', (query) => query.where('expires_at', '<=', now))
  const rows = await matches
    .select(summaryColumns)
    .$if(after !== undefined, (query) => query.where('id', '<', after?.id ?? 0))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : undefined
  const { total } = await matches
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items, total, next: last && createCursor(list, [last.created_at, last.id]) }
}

/** A plan as its reader sees it: the title of an API key is for its person and administrators. */
export function toPlanSummary(row: PlanSummaryRow, now: number): PlanSummary {
  const warnings = parseWarnings(row).map(({ hosts: _, ...warning }) => warning)
  return { ...row, state: stateOf(row, now), destructive: isDestructive(warnings), warnings }
}

function parseWarnings({ warnings }: Pick<PlanRow, 'warnings'>): PlanWarning[] {
  return JSON.parse(warnings) as PlanWarning[]
}

/** A plan with everything that it holds, and the names of its links and bundles as they are now. */
export async function toPlan(
  { db, dialect }: { db: Kysely<Tables>; dialect: DialectName },
  plan: PlanRow,
  now: number,
): Promise<Plan> {
  const { ops, diff: _, versions, ...row } = plan
  const changes = await readDiff(db, plan)
  const subjects = JSON.parse(versions) as SubjectVersions
  const linkIds = [...Object.keys(subjects.links).map(Number), ...changes.map(({ link_id }) => link_id)]
  const bundleIds = [
    ...Object.keys(subjects.bundles).map(Number),
    ...changes.map(({ bundle_id }) => bundle_id),
  ]
  const links = await db
    .selectFrom('link')
    .select(['id', 'primary_slug', 'label', 'url'])
    .where(inList(dialect, 'id', withoutNew(linkIds)))
    .orderBy('id')
    .execute()
  const bundles = await db
    .selectFrom('bundle')
    .select(['id', 'name'])
    .where(inList(dialect, 'id', withoutNew(bundleIds)))
    .orderBy('id')
    .execute()
  return {
    ...toPlanSummary(row, now),
    warnings: parseWarnings(row),
    ops: JSON.parse(ops) as Op[],
    diff: changes,
    versions: toVersions(subjects),
    links: links.map(({ primary_slug: key, ...link }) => ({ ...link, ...parseSlugKey(key) })),
    bundles,
  }
}

/** The changes of a plan, which only history has once it is applied: those of its undoing come after them. */
async function readDiff(
  db: Kysely<Tables>,
  { id, diff, applied_at, change_count }: PlanRow,
): Promise<PlanChange[]> {
  const stored = JSON.parse(diff) as PlanChange[]
  if (applied_at === null || stored.length > 0) return stored
  return (await readPlanChanges(db, id)).slice(0, change_count).map(toPlanChange)
}

/** The ids of what exists: a plan has negative ids for what it creates. */
function withoutNew(ids: readonly (number | null)[]): number[] {
  return [...new Set(ids.filter((id) => id !== null && id > 0))] as number[]
}

function toVersions({ links, bundles }: SubjectVersions): Plan['versions'] {
  return [
    ...Object.entries(links).map(([id, version]) => ({ link_id: Number(id), bundle_id: null, version })),
    ...Object.entries(bundles).map(([id, version]) => ({ link_id: null, bundle_id: Number(id), version })),
  ]
}

export function stateOf(
  { state, expires_at }: Pick<PlanRow, 'state' | 'expires_at'>,
  now: number,
): PlanState {
  return state === 'open' && expires_at <= now ? 'expired' : state
}

/** Plans that were not applied stay listed for a week, in seconds. */
const KEPT_SECONDS = 7 * 86_400

/** Plans per transaction, few enough not to delay other writers: one may be megabytes long. */
const PLANS_PER_STEP = 20

/**
 * Deletes plans that were not applied, a week after they were created, and applied ones with the
 * changes before `historyStart` (Unix seconds; undefined keeps them).
 */
export async function deleteOldPlans(
  database: Database<Tables>,
  { now, historyStart = 0 }: { now: number; historyStart?: number | undefined },
): Promise<void> {
  for (;;) {
    const { numDeletedRows } = await database.write((tx) =>
      tx
        .deleteFrom('plan')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('plan')
            .select('id')
            .where((plan) =>
              plan.or([
                plan('created_at', '<', historyStart),
                plan.and([
                  plan('created_at', '<', now - KEPT_SECONDS),
                  plan('state', 'in', ['open', 'discarded']),
                ]),
              ]),
            )
            .orderBy('created_at')
            .limit(PLANS_PER_STEP),
        )
        .executeTakeFirst(),
    )
    if (numDeletedRows < BigInt(PLANS_PER_STEP)) return
    // Writing to a file does not yield to the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
