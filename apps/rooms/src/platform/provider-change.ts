import type { Kysely, Transaction } from 'kysely'
import { recordAudit } from '../audit/store.ts'
import type { Tables } from '../db/tables.ts'
import { countIdentitiesOfOthers, exchangeState, findState, hasIdentities } from './store.ts'

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
export async function noteProvider(
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

/** Of the provider that the service was started with last, whichever process asks; null before the first start. */
export async function findIssuer(db: Kysely<Tables>): Promise<string | null> {
  const provider = await findState(db, LAST_PROVIDER)
  return provider === undefined ? null : (JSON.parse(provider) as ProviderName).issuer
}

/** Accounts of other providers: their subjects are never taken for those of today (R8.5). */
export function countUnreachableAccounts(db: Kysely<Tables>, issuer: string): Promise<number> {
  return countIdentitiesOfOthers(db, issuer)
}
