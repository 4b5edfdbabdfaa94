import { type Database, inList } from '@latchkey/database/database'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { destinationsOf, hostsOf } from '../changes/destinations.ts'
import type { ChangeSource } from '../changes/source.ts'
import type { Values } from '../changes/values.ts'
import { findForbidden, findOpened } from '../policies/require-policy.ts'
import type { PlanChange, PlanWarning } from './schema.ts'

type WarningCode = PlanWarning['code']

/** Links that a person still reads one by one. */
const MANY_LINKS = 50

const destructive: ReadonlySet<WarningCode> = new Set([
  'deletes_links',
  'deletes_bundles',
  'disables_links',
  'expires_links',
  'removes_slugs',
  'changes_destinations',
  'transfers',
])

export function isDestructive(warnings: readonly PlanWarning[]): boolean {
  return warnings.some(({ code }) => destructive.has(code))
}

interface WarningInput {
  changes: readonly PlanChange[]
  /** Results of the operations. */
  results: readonly unknown[]
  /** The person whose plan it is, and the program that made it. */
  source: Pick<ChangeSource, 'identity' | 'assistant'>
}

/** What a person should know before the plan is applied, from the state before it. */
export async function findWarnings(
  { read, dialect }: Pick<Database<Tables>, 'read' | 'dialect'>,
  { changes, results, source }: WarningInput,
): Promise<PlanWarning[]> {
  const ofLinks = changes.filter(({ bundle_id }) => bundle_id === null)
  const updates = ofLinks.filter(({ before, after }) => before && after)
  const deleted = idsOf(ofLinks.filter(({ after }) => after === null))
  const disabled = idsOf(updates.filter(({ after }) => typeof after?.['disabled_at'] === 'number'))
  const expiring = idsOf(updates.filter(({ after }) => typeof after?.['expires_at'] === 'number'))
  const redirected = idsOf(updates.filter(({ after }) => after && ('url' in after || 'behaviour' in after)))
  const slugs = updates.flatMap(stoppedSlugs)
  const opened = await findOpened({ read, dialect }, ofLinks)
  const newHosts = hostsOf([...ofLinks.flatMap(newDestinations), ...opened])
  const forbidden = await findForbidden(read, source, [
    ...ofLinks.flatMap(({ after }) => destinationsOf(after)),
    ...opened,
  ])
  const { identity } = source
  const linkIds = [...new Set(changes.flatMap(({ link_id }) => link_id ?? []))]
  const countClicks = (ids: readonly number[]) => sumClicks(read, inList(dialect, 'link_id', ids))
  return [
    warning('deletes_links', deleted.length, await countClicks(deleted)),
    warning('deletes_bundles', changes.filter(({ kind }) => kind === 'bundle.deleted').length),
    warning('disables_links', disabled.length, await countClicks(disabled)),
    warning('expires_links', expiring.length, await countClicks(expiring)),
    warning('removes_slugs', slugs.length, await sumClicks(read, inList(dialect, 'slug', slugs))),
    warning('changes_destinations', redirected.length, await countClicks(redirected)),
    warning(
      'transfers',
      changes.filter(({ before, after }) => before && after && 'created_by' in after).length,
    ),
    hostWarning('new_hosts', await findNewHosts({ read, dialect }, newHosts, identity)),
    hostWarning('forbidden_hosts', hostsOf(forbidden)),
    warning('links_of_others', await countLinksOfOthers(read, inList(dialect, 'id', linkIds), identity)),
    warning('many_links', linkIds.length > MANY_LINKS ? linkIds.length : 0),
    warning('refused_items', results.flatMap(refusedItems).length),
  ].filter(({ count }) => count > 0)
}

function warning(code: WarningCode, count: number, clicks?: number): PlanWarning {
  return { code, count, ...(clicks !== undefined && { clicks }) }
}

function hostWarning(code: WarningCode, hosts: readonly string[]): PlanWarning {
  return { code, count: hosts.length, hosts: [...hosts] }
}

/** Where a link leads after the change, and not before. */
function newDestinations({ before, after }: PlanChange): URL[] {
  const earlier = new Set(destinationsOf(before).map(({ host }) => host))
  return destinationsOf(after).filter(({ host }) => !earlier.has(host))
}

/** The hosts to which no link of the person leads by its URL. */
async function findNewHosts(
  { read, dialect }: Pick<Database<Tables>, 'read' | 'dialect'>,
  hosts: readonly string[],
  identity: string,
): Promise<string[]> {
  const rows = await read
    .selectFrom('link')
    .select('host')
    .distinct()
    .where('created_by', '=', identity)
    .where(inList(dialect, 'host', hosts))
    .execute()
  const existing = new Set(rows.map(({ host }) => host))
  return hosts.filter((host) => !existing.has(host))
}

function idsOf(changes: readonly PlanChange[]): number[] {
  return changes.flatMap(({ link_id }) => link_id ?? [])
}

interface SlugValues {
  slug: string
  disabled_at?: number
}

function slugsOf(values: Values | null): readonly SlugValues[] {
  return (values?.['slugs'] ?? []) as readonly SlugValues[]
}

/** Slugs that a link loses, or that are disabled. */
function stoppedSlugs({ before, after }: PlanChange): string[] {
  const working = new Set(
    slugsOf(after).flatMap(({ slug, disabled_at: since }) => (since === undefined ? [slug] : [])),
  )
  return slugsOf(before).flatMap(({ slug, disabled_at: since }) =>
    since === undefined && !working.has(slug) ? [slug] : [],
  )
}

async function sumClicks(db: Kysely<Tables>, condition: ReturnType<typeof inList>): Promise<number> {
  const { clicks } = await db
    .selectFrom('counted_slug')
    .select((eb) => eb.fn.sum<number | null>('clicks').as('clicks'))
    .where(condition)
    .executeTakeFirstOrThrow()
  return clicks ?? 0
}

async function countLinksOfOthers(
  db: Kysely<Tables>,
  condition: ReturnType<typeof inList>,
  identity: string,
): Promise<number> {
  const { count } = await db
    .selectFrom('link')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(condition)
    .where('created_by', '!=', identity)
    .executeTakeFirstOrThrow()
  return count
}

/** Items of a bulk operation that are refused while the others are not. */
function refusedItems(result: unknown): unknown[] {
  const { results = [] } = (result ?? {}) as { results?: readonly { status: number }[] }
  return results.filter(({ status }) => status >= 400)
}
