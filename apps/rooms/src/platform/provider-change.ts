import type { Kysely, Transaction } from 'kysely'
import { recordAudit } from '../audit/store.ts'
import type { Tables } from '../db/tables.ts'
import type { SubjectSource } from '../login/provider-config.ts'
import {
  countIdentitiesOf,
  countUnreachableAccounts,
  exchangeState,
  findState,
  hasIdentities,
  saveState,
} from './store.ts'

const LAST_PROVIDER = 'provider'

export interface ProviderName {
  mode: string
  issuer: string
}

/** What has changed since the last start, where it concerns accounts that exist. */
export interface ProviderChange {
  from: ProviderName
  to: ProviderName
  /** Accounts that nobody can sign in to with the provider of today. */
  unreachableAccounts: number
}

/** Remembers the provider of this start, and audits when it is another than that of the last (R8.5). */
export async function recordProvider(
  tx: Transaction<Tables>,
  { mode, issuer }: ProviderName,
  nowMs: number,
): Promise<ProviderChange | undefined> {
  const to = { mode, issuer }
  const before = await exchangeState(tx, LAST_PROVIDER, JSON.stringify(to), nowMs)
  if (before === undefined) return undefined
  const from = JSON.parse(before) as ProviderName
  if ((from.mode === mode && from.issuer === issuer) || !(await hasIdentities(tx))) return undefined
  const change = { from, to, unreachableAccounts: await countUnreachableAccounts(tx, issuer) }
  await recordAudit(
    tx,
    { action: 'provider.changed', actorUserId: null, metadata: { ...change } },
    { clientIp: null, requestId: null, nowMs },
  )
  return change
}

/** Subjects of an issuer are read elsewhere than at the last start with it, and it has accounts. */
interface SourceChange {
  issuer: string
  from: SubjectSource
  to: SubjectSource
  /** Accounts that people of another provider may reach now, by equal subjects. */
  inheritableAccounts: number
}

interface KnownSource extends SubjectSource {
  changedAtMs: number | null
}

const sourceKey = (issuer: string) => `source ${issuer}`

/**
 * Remembers for each issuer where its subjects are read, and audits when that has changed (R8.5, R28.7). After
 * `noteProvider` in its transaction, which lets nodes in one by one. What nothing is remembered of has not changed.
 */
export async function recordSubjectSource(
  tx: Transaction<Tables>,
  issuer: string,
  to: SubjectSource,
  nowMs: number,
): Promise<SourceChange | undefined> {
  const known = await findSource(tx, issuer)
  if (known && isSame(known, to)) return undefined
  const changedAtMs = known ? nowMs : null
  await saveState(tx, sourceKey(issuer), JSON.stringify({ ...to, changedAtMs }), nowMs)
  const inheritableAccounts = await countInheritableAccounts(tx, issuer, to)
  if (!known || inheritableAccounts === 0) return undefined
  const { userinfoEndpoint, subjectPath } = known
  const change = { issuer, from: { userinfoEndpoint, subjectPath }, to, inheritableAccounts }
  await recordAudit(
    tx,
    { action: 'provider.changed', actorUserId: null, metadata: { ...change } },
    { clientIp: null, requestId: null, nowMs },
  )
  return change
}

async function findSource(db: Kysely<Tables>, issuer: string): Promise<KnownSource | undefined> {
  const known = await findState(db, sourceKey(issuer))
  return known === undefined ? undefined : (JSON.parse(known) as KnownSource)
}

function isSame(one: SubjectSource, other: SubjectSource): boolean {
  return one.userinfoEndpoint === other.userinfoEndpoint && one.subjectPath === other.subjectPath
}

/**
 * Accounts that are older than the last change of where subjects are read; all of them where `source`, which a start
 * would use, is another than that of the last start.
 */
export async function countInheritableAccounts(
  db: Kysely<Tables>,
  issuer: string,
  source?: SubjectSource,
): Promise<number> {
  const known = await findSource(db, issuer)
  if (!known) return 0
  const untilMs = source && !isSame(known, source) ? Number.MAX_SAFE_INTEGER : known.changedAtMs
  return untilMs === null ? 0 : countIdentitiesOf(db, issuer, untilMs)
}

/** Of the provider that the service was started with last, whichever process asks; null before the first start. */
export async function findIssuer(db: Kysely<Tables>): Promise<string | null> {
  const provider = await findState(db, LAST_PROVIDER)
  return provider === undefined ? null : (JSON.parse(provider) as ProviderName).issuer
}
