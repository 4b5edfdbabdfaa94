import { inList } from '@latchkey/database/database'
import { lockRows } from '@latchkey/database/locks'
import type { DialectName } from '@latchkey/database/url'
import type { Tx } from '../db/tables.ts'
import type { Values } from './values.ts'

/** A link or bundle as it is stored, with its secrets. */
export interface State {
  /** Undefined for bundles. */
  version?: number
  values: Values
}

/** Members of a deleted bundle that its change lists. */
const MAX_MEMBERS = 10_000

/** Returns the states of the links that exist. */
export async function readLinkStates(
  tx: Tx,
  dialect: DialectName,
  ids: readonly number[],
): Promise<Map<number, State>> {
  const rows = await tx
    .selectFrom('link')
    .leftJoin('link_behaviour', 'link_behaviour.link_id', 'link.id')
    .leftJoin('link_password', 'link_password.link_id', 'link.id')
    .leftJoin('stats_share', 'stats_share.link_id', 'link.id')
    .select(['link.id', 'version', 'url', 'label', 'expires_at', 'disabled_at', 'created_by', 'created_via'])
    .select(['link.created_at', 'primary_slug', 'domain', 'document', 'hash', 'secret_hash'])
    .where(inList(dialect, 'link.id', ids))
    .execute()
  const slugs = await tx
    .selectFrom('slug')
    .select(['link_id', 'slug', 'is_custom', 'created_at', 'disabled_at', 'added_by'])
    .where(inList(dialect, 'link_id', ids))
    .orderBy('slug')
    .execute()
  const legacyPaths = await tx
    .selectFrom('legacy_path')
    .select(['link_id', 'path', 'source', 'created_at'])
    .where(inList(dialect, 'link_id', ids))
    .orderBy('path')
    .execute()
  const memberships = await tx
    .selectFrom('bundle_link')
    .select(['link_id', 'bundle_id'])
    .where(inList(dialect, 'link_id', ids))
    .orderBy('bundle_id')
    .execute()
  const slugsOf = Map.groupBy(slugs, (row) => row.link_id)
  const legacyPathsOf = Map.groupBy(legacyPaths, (row) => row.link_id)
  const bundlesOf = Map.groupBy(memberships, (row) => row.link_id)
  return new Map(
    rows.map(({ id, version, document, hash, secret_hash, ...columns }) => {
      const bundles = bundlesOf.get(id)?.map((row) => row.bundle_id)
      const values = withoutNulls({
        ...columns,
        behaviour: document === null ? null : (JSON.parse(document) as unknown),
        password: hash,
        share: secret_hash,
        slugs: (slugsOf.get(id) ?? []).map(({ link_id: _, ...row }) => withoutNulls(row)),
        legacy_paths: legacyPathsOf.get(id)?.map(({ link_id: _, ...row }) => row) ?? null,
        bundles: bundles ?? null,
      })
      return [id, { version, values }]
    }),
  )
}

/** Returns the states of the bundles that exist, without their links. */
export async function readBundleStates(
  tx: Tx,
  dialect: DialectName,
  ids: readonly number[],
): Promise<Map<number, State>> {
  const rows = await tx
    .selectFrom('bundle')
    .leftJoin('stats_share', 'stats_share.bundle_id', 'bundle.id')
    .select([
      'bundle.id',
      'name',
      'description',
      'icon',
      'accent',
      'archived_at',
      'created_by',
      'created_via',
    ])
    .select(['bundle.created_at', 'secret_hash'])
    .where(inList(dialect, 'bundle.id', ids))
    .execute()
  return new Map(
    rows.map(({ id, secret_hash, ...columns }) => [
      id,
      { values: withoutNulls({ ...columns, share: secret_hash }) },
    ]),
  )
}

/** Links and bundles after the writes of a transaction, with their secrets, by id. */
export interface CurrentStates {
  links: ReadonlyMap<number, State>
  bundles: ReadonlyMap<number, State>
}

/** Links and bundles by their ids. */
export interface Subjects {
  links: Iterable<number>
  bundles: Iterable<number>
}

/**
 * Locks the links and bundles that exist until the transaction ends, and returns them. Bundles come
 * before links, as in every write of both. Read what the write depends on after this.
 */
export async function lockSubjects(
  tx: Tx,
  dialect: DialectName,
  { links, bundles }: Subjects,
): Promise<{ links: Set<number>; bundles: Set<number> }> {
  const existingBundles = await lockIds(tx, dialect, 'bundle', bundles)
  return { links: await lockIds(tx, dialect, 'link', links), bundles: existingBundles }
}

async function lockIds(
  tx: Tx,
  dialect: DialectName,
  table: 'bundle' | 'link',
  ids: Iterable<number>,
): Promise<Set<number>> {
  const all = [...new Set(ids)]
  if (all.length === 0) return new Set()
  const query = tx
    .selectFrom(table)
    .select('id')
    .where(inList(dialect, 'id', all))
  const rows = await lockRows(dialect, query, 'id').execute()
  return new Set(rows.map(({ id }) => id))
}

/**
 * The links that a bundle had before the transaction that deletes it, as fields of its state. Its memberships
 * are locked in the order in which the deletion of several links removes them.
 */
export async function readMembers(
  tx: Tx,
  dialect: DialectName,
  bundleId: number,
  moved: readonly TrackedMembership[],
): Promise<Values> {
  const query = tx.selectFrom('bundle_link').select('link_id').where('bundle_id', '=', bundleId)
  const rows = await lockRows(dialect, query, 'link_id').execute()
  const present = rows.map((row) => row.link_id)
  const all = membersBefore(present, moved, 'link_id')
  const links = all.slice(0, MAX_MEMBERS)
  const omitted = all.length - links.length
  return { ...(links.length > 0 && { links }), ...(omitted > 0 && { links_omitted: omitted }) }
}

/** The ids on one side of memberships before a transaction that has changed some of them. */
export function membersBefore(
  present: readonly number[],
  moved: readonly TrackedMembership[],
  side: keyof Membership,
): number[] {
  const ids = new Set(present)
  for (const { wasMember, ...pair } of moved)
    if (wasMember) ids.add(pair[side])
    else ids.delete(pair[side])
  return [...ids].toSorted((a, b) => a - b)
}

/** The versions of links and bundles by their ids. */
export interface SubjectVersions {
  links: Record<number, string>
  bundles: Record<number, string>
}

/** Returns the versions of the links and bundles that exist. */
export function versionsOf(
  links: Iterable<readonly [number, State | undefined]>,
  bundles: Iterable<readonly [number, State | undefined]>,
): SubjectVersions {
  return { links: mapStates(links, ({ version }) => String(version)), bundles: mapStates(bundles, hashOf) }
}

function mapStates(
  states: Iterable<readonly [number, State | undefined]>,
  version: (state: State) => string,
): Record<number, string> {
  return Object.fromEntries([...states].flatMap(([id, state]) => (state ? [[id, version(state)]] : [])))
}

/** Bundles have no number that every write raises. */
function hashOf({ values: { links: _, links_omitted: __, ...values } }: State): string {
  return Bun.hash.xxHash64(JSON.stringify(values)).toString(36)
}

/** Returns the keys of the pairs that are stored. */
export async function findMemberships(
  tx: Tx,
  dialect: DialectName,
  pairs: readonly Membership[],
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('bundle_link')
    .select(['bundle_id', 'link_id'])
    .where(inList(dialect, 'bundle_id', [...new Set(pairs.map((pair) => pair.bundle_id))]))
    .where(inList(dialect, 'link_id', [...new Set(pairs.map((pair) => pair.link_id))]))
    .execute()
  return new Set(rows.map(membershipKey))
}

/** A link of a bundle. */
export interface Membership {
  bundle_id: number
  link_id: number
}

/** Whether the link was in the bundle before the transaction. */
export interface TrackedMembership extends Membership {
  wasMember: boolean
}

export function membershipKey({ bundle_id, link_id }: Membership): string {
  return `${bundle_id} ${link_id}`
}

function withoutNulls(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}
