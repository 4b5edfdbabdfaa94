import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Transaction } from 'kysely'
import type { Tables } from './db/tables.ts'
import { hasAdmin, lockGrantChanges, revokeAdminsOf } from './grants/operations.ts'
import { endGuestSessions } from './guests/store.ts'
import { type ProviderConfig, issuerOf, subjectSourceOf } from './login/provider-config.ts'
import { recordProvider, recordSubjectSource } from './platform/provider-change.ts'
import { findState } from './platform/store.ts'
import type { Settings } from './settings/settings.ts'

/** What settings that differ from those of the last start mean for what is in the database; before anybody is served. */
export async function reconcileSettings(
  database: Database<Tables>,
  { provider, guestEnabled, adminBootstrap }: Settings,
  log: Log,
  nowMs: number,
): Promise<void> {
  const name = { mode: provider.mode, issuer: issuerOf(provider) }
  const outcome = await database.write(async (tx) => ({
    change: await recordProvider(tx, name, nowMs),
    inherited: await revokeInheritedAdmins(database, tx, provider, nowMs),
    guests: guestEnabled ? [] : await endGuestSessions(tx, nowMs),
    lacksAdmin:
      (adminBootstrap === 'off' || (await findState(tx, 'bootstrap')) !== undefined) && !(await hasAdmin(tx)),
  }))
  const { change, inherited, guests, lacksAdmin } = outcome
  if (change && change.unreachableAccounts > 0)
    log.warn('the identity provider has changed: accounts of the earlier one cannot be reached', {
      ...change,
    })
  else if (change)
    log.info('the identity provider has changed, and all accounts can be reached', { ...change })
  if (inherited)
    log.warn(
      'OAUTH_USERINFO_ENDPOINT or OAUTH_SUBJECT_PATH has changed: accounts may be reached by people of another provider, and their administrators have lost that right; latchkey rooms admin grant gives it again',
      { ...inherited },
    )
  if (guests.length > 0)
    log.info('guests are no longer admitted, and their sessions have ended', { sessions: guests.length })
  if (lacksAdmin)
    log.info(
      'nobody can administer yet: once somebody has signed in, run latchkey rooms admin grant --user <id or issuer|subject>',
    )
}

/**
 * Where subjects are read elsewhere than at the last start, equal ones may be other people. Nobody can tell, so no account
 * passes the right to administer on, unless a claim gives it anew.
 */
async function revokeInheritedAdmins(
  { dialect }: Database<Tables>,
  tx: Transaction<Tables>,
  provider: ProviderConfig,
  nowMs: number,
) {
  const issuer = issuerOf(provider)
  const change = await recordSubjectSource(tx, issuer, subjectSourceOf(provider), nowMs)
  if (!change) return undefined
  await lockGrantChanges(dialect, tx)
  const origin = { clientIp: null, requestId: null, nowMs }
  return { ...change, withdrawnFrom: await revokeAdminsOf(tx, issuer, origin) }
}
