import { recordAudit } from '../audit/store.ts'
import type { Db, Tx } from '../db/tables.ts'
import type { SubjectSource } from '../identity/provider-config.ts'
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

/** A change of the provider since the last start, with accounts in the database. */
export interface ProviderChange {
  from: ProviderName
  to: ProviderName
  /** Accounts to which the current provider cannot sign anyone in. */
  unreachableAccounts: number
}

/** Stores the provider of this start. Audits a change since the last start (R8.5). */
export async function recordProvider(
  tx: Tx,
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

/**
 * A change of where subjects of an issuer are read, since the last start with that issuer, with
 * accounts in the database.
 */
interface SourceChange {
  issuer: string
  from: SubjectSource
  to: SubjectSource
  /** Accounts that users of another provider can now reach with an equal subject. */
  inheritableAccounts: number
}

interface KnownSource extends SubjectSource {
  changedAtMs: number | null
}

const sourceKey = (issuer: string) => `source ${issuer}`

/**
 * Stores for each issuer where its subjects are read. Audits a change (R8.5, R28.7). Call it after
 * `recordProvider` in the same transaction, which nodes enter one at a time. The first value that
 * is stored for an issuer is not a change.
 */
export async function recordSubjectSource(
  tx: Tx,
  issuer: string,
  to: SubjectSource,
  nowMs: number,
): Promise<SourceChange | undefined> {
  const stored = await findSource(tx, issuer)
  if (stored && isSame(stored, to)) return undefined
  const changedAtMs = stored ? nowMs : null
  await saveState(tx, sourceKey(issuer), JSON.stringify({ ...to, changedAtMs }), nowMs)
  const inheritableAccounts = await countInheritableAccounts(tx, issuer, to)
  if (!stored || inheritableAccounts === 0) return undefined
  const { userinfoEndpoint, subjectPath } = stored
  const change = { issuer, from: { userinfoEndpoint, subjectPath }, to, inheritableAccounts }
  await recordAudit(
    tx,
    { action: 'provider.changed', actorUserId: null, metadata: { ...change } },
    { clientIp: null, requestId: null, nowMs },
  )
  return change
}

async function findSource(db: Db, issuer: string): Promise<KnownSource | undefined> {
  const stored = await findState(db, sourceKey(issuer))
  return stored === undefined ? undefined : (JSON.parse(stored) as KnownSource)
}

function isSame(one: SubjectSource, other: SubjectSource): boolean {
  return one.userinfoEndpoint === other.userinfoEndpoint && one.subjectPath === other.subjectPath
}

/**
 * Counts the accounts that are older than the last change of where subjects are read. If `source`,
 * which the next start would use, differs from that of the last start, all accounts count.
 */
export async function countInheritableAccounts(
  db: Db,
  issuer: string,
  source?: SubjectSource,
): Promise<number> {
  const stored = await findSource(db, issuer)
  if (!stored) return 0
  const untilMs = source && !isSame(stored, source) ? Number.MAX_SAFE_INTEGER : stored.changedAtMs
  return untilMs === null ? 0 : countIdentitiesOf(db, issuer, untilMs)
}

/**
 * The issuer of the provider at the last start of the service, read from the database; null before
 * the first start.
 */
export async function findIssuer(db: Db): Promise<string | null> {
  const provider = await findState(db, LAST_PROVIDER)
  return provider === undefined ? null : (JSON.parse(provider) as ProviderName).issuer
}
