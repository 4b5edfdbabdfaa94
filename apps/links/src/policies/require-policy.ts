import { type Database, inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { Failure } from '@latchkey/http/failure'
import type { Kysely, Transaction } from 'kysely'
import { HOUR } from '../time/window.ts'
import type { Tables } from '../db/tables.ts'
import { failure, failures } from '../api/failures.ts'
import { destinationsOf } from '../changes/destinations.ts'
import type { StoredChanges } from '../changes/change-tracker.ts'
import type { ChangeSource } from '../changes/source.ts'
import type { NewChange } from '../changes/store.ts'
import { type Difference, type Values, parseValues } from '../changes/values.ts'
import type { PolicyRules } from './schema.ts'
import { countWrites, findRules } from './store.ts'

/** Seconds after which some of the changes of the last hour have probably become older. */
const RETRY_AFTER_SECONDS = 600

/** The refusals of a policy, which any write can meet. */
export const policyFailures = [
  'policy_read_only',
  'policy_plan_needed',
  'policy_confirmation_needed',
  'policy_writes_per_hour',
  'policy_host',
  'policy_bundle',
] as const

type Source = Pick<ChangeSource, 'identity' | 'assistant'>

/**
 * Throws if the policy of the program forbids it to write at all, or without a plan or its person
 * (L29.4). For writes of neither links nor bundles.
 */
export async function requireDirectWrites(db: Kysely<Tables>, source: Source): Promise<void> {
  const rules = await findRulesOf(db, source)
  if (!rules) return
  requireWay(rules, { isPlan: false, isDestructive: true })
  // Each of these writes leads visitors or events to a host.
  if (rules.hosts) throw failure('policy_host')
}

/** Throws if the policy of the program forbids it to write at all: then it makes no plans either. */
export async function requireMayPlan(db: Kysely<Tables>, source: Source): Promise<void> {
  if ((await findRulesOf(db, source))?.writes === 'none') throw failure('policy_read_only')
}

/**
 * Throws if the policy of the program forbids it to discard plans that it has not made: nothing but their
 * person decides on them.
 */
export async function requireMayDiscard(
  db: Kysely<Tables>,
  source: Source,
  plan: { assistant: string | null },
): Promise<void> {
  if (plan.assistant === source.assistant?.id) return
  const rules = await findRulesOf(db, source)
  if (rules?.writes === 'none') throw failure('policy_read_only')
  if (rules?.confirm === 'always') throw failure('policy_confirmation_needed')
}

/**
 * Throws if the policy of the program forbids these changes (L29.4). Every write of links and
 * bundles ends here, by whatever way, in its own transaction.
 */
export async function requirePolicy(
  tx: Transaction<Tables>,
  { dialect, source, changes }: Pick<StoredChanges, 'dialect' | 'source' | 'changes'>,
): Promise<void> {
  if (changes.length === 0) return
  const rules = await findRulesOf(tx, source)
  if (!rules) return
  const isPlan = changes.every(({ plan_id }) => plan_id !== null && plan_id !== undefined)
  requireWay(rules, { isPlan, isDestructive: changes.some(isDestructive) })
  const { hosts, bundles, writes_per_hour: limit } = rules
  if (hosts) {
    const differences = changes.map(({ link_id, before_values, after_values }) => ({
      link_id,
      before: parseValues(before_values),
      after: parseValues(after_values),
    }))
    const opened = await findOpened({ read: tx, dialect }, differences)
    const destinations = [...differences.flatMap(({ after }) => destinationsOf(after)), ...opened]
    if (!destinations.every(({ hostname }) => isAllowed(hostname, hosts))) throw failure('policy_host')
  }
  if (bundles) {
    const touched = [...changes.flatMap(bundlesOf), ...(await readBundles(tx, dialect, changes.map(linkOf)))]
    if (!touched.every((id) => bundles.includes(id))) throw failure('policy_bundle')
  }
  if (limit === null || !source.assistant) return
  // The count includes the changes of this transaction.
  const { identity, assistant, now } = source
  const writes = await countWrites(tx, dialect, { identity, assistant: assistant.id, after: now - HOUR })
  const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) }
  if (writes > limit) throw new Failure('policy_writes_per_hour', failures.policy_writes_per_hour, headers)
}

async function findRulesOf(
  db: Kysely<Tables>,
  { identity, assistant }: Source,
): Promise<PolicyRules | undefined> {
  return assistant && findRules(db, { identity, assistant: assistant.id })
}

function requireWay(
  { writes, confirm }: PolicyRules,
  { isPlan, isDestructive: needsCare }: { isPlan: boolean; isDestructive: boolean },
): void {
  if (writes === 'none') throw failure('policy_read_only')
  if (confirm === 'always' || (confirm === 'destructive' && needsCare))
    throw failure('policy_confirmation_needed')
  if (writes === 'plan' && !isPlan) throw failure('policy_plan_needed')
}

/** A change that takes something from visitors or from the owner, as the warnings of plans name it. */
function isDestructive({ kind, before_values, after_values }: NewChange): boolean {
  if (/\.(deleted|transferred|link_removed)$/.test(kind)) return true
  const [before, after] = [parseValues(before_values), parseValues(after_values)]
  if (!before || !after) return false
  // One change may also have other fields, which its kind does not name.
  const isClosed =
    typeof after['disabled_at'] === 'number' ||
    typeof after['expires_at'] === 'number' ||
    after['password'] === 'set'
  return isClosed || 'url' in after || 'behaviour' in after || slugsOf(before).length > 0
}

function linkOf({ link_id }: NewChange): number {
  return link_id ?? 0
}

/** A change after which visitors come to where the link leads by a way that was closed, or did not exist. */
function opensLink({ before, after }: Difference): boolean {
  if (!before || !after) return false
  const earlier = new Set(workingSlugsOf(before))
  return (
    (typeof before['disabled_at'] === 'number' && typeof after['disabled_at'] !== 'number') ||
    typeof before['expires_at'] === 'number' ||
    // The old behaviour may have sent all visitors elsewhere, or nowhere.
    (typeof before['behaviour'] === 'object' && before['behaviour'] !== null) ||
    (typeof before['password'] === 'string' && typeof after['password'] !== 'string') ||
    workingSlugsOf(after).some((slug) => !earlier.has(slug))
  )
}

function workingSlugsOf(values: Values): string[] {
  const slugs = slugsOf(values) as readonly { slug: string; disabled_at?: number }[]
  return slugs.flatMap(({ slug, disabled_at: since }) => (typeof since === 'number' ? [] : [slug]))
}

/** Where the links lead that these changes open. */
export async function findOpened(
  { read, dialect }: Pick<Database<Tables>, 'read' | 'dialect'>,
  changes: readonly (Difference & { link_id?: number | null | undefined })[],
): Promise<URL[]> {
  const links = changes.filter(opensLink).flatMap(({ link_id }) => link_id ?? [])
  if (links.length === 0) return []
  const rows = await read
    .selectFrom('link')
    .leftJoin('link_behaviour', 'link_behaviour.link_id', 'link.id')
    .select(['url', 'document'])
    .where(inList(dialect, 'link.id', links))
    .execute()
  return rows.flatMap(({ url, document }) =>
    destinationsOf({ url, behaviour: document === null ? null : (JSON.parse(document) as unknown) }),
  )
}

/** The bundle of a change, and those that a deleted link was in. */
function bundlesOf({ bundle_id, before_values, after_values }: NewChange): number[] {
  const left = after_values === null ? parseValues(before_values)?.['bundles'] : undefined
  return [...(bundle_id ? [bundle_id] : []), ...((left ?? []) as number[])]
}

/** The bundles that these links are in. */
async function readBundles(
  tx: Transaction<Tables>,
  dialect: DialectName,
  links: readonly number[],
): Promise<number[]> {
  const rows = await tx
    .selectFrom('bundle_link')
    .select('bundle_id')
    .distinct()
    .where(inList(dialect, 'link_id', [...new Set(links)]))
    .execute()
  return rows.map((row) => row.bundle_id)
}

/** The destinations to which the policy of the program lets no link lead. */
export async function findForbidden(
  db: Kysely<Tables>,
  source: Source,
  destinations: readonly URL[],
): Promise<URL[]> {
  const hosts = (await findRulesOf(db, source))?.hosts
  return hosts ? destinations.filter(({ hostname }) => !isAllowed(hostname, hosts)) : []
}

function isAllowed(host: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
  )
}

function slugsOf(values: Values): readonly unknown[] {
  return (values['slugs'] ?? []) as readonly unknown[]
}
