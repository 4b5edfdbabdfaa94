import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import { deleteAccess } from './access-layer/store.ts'
import { recordAudit } from './audit/store.ts'
import type { Tables, Tx } from './db/tables.ts'
import { hasAdmin, lockGrantChanges, revokeAdminsOf } from './grants/operations.ts'
import { endSessionsOfGuests } from './guests/store.ts'
import { findOpenProvider } from './identity/open-provider.ts'
import { type ProviderConfig, issuerOf, subjectSourceOf } from './identity/provider-config.ts'
import { saveKnownSettings } from './platform/known-settings.ts'
import { recordProvider, recordSubjectSource } from './platform/provider-change.ts'
import { exchangeState, findState } from './platform/store.ts'
import { recordMaxRetention } from './rooms/retention.ts'
import { endSessions } from './sessions/store.ts'
import type { Settings } from './settings/settings.ts'

/**
 * Updates the database for settings that changed since the last start. Runs before the first
 * request.
 */
export async function reconcileSettings(
  database: Database<Tables>,
  { provider, guestEnabled, adminBootstrap, maxRetentionDays, accessOrigins }: Settings,
  log: Log,
  nowMs: number,
): Promise<void> {
  const name = { mode: provider.mode, issuer: issuerOf(provider) }
  if (accessOrigins === null) await database.write(deleteAccess)
  const outcome = await database.write(async (tx) => ({
    settings: await saveKnownSettings(tx, nowMs),
    retention: await recordMaxRetention(tx, maxRetentionDays, nowMs),
    change: await recordProvider(tx, name, nowMs),
    inherited: await revokeInheritedAdmins(database, tx, provider, nowMs),
    members: await endSessionsOfOtherConditions(tx, provider, nowMs),
    guests: guestEnabled ? [] : await endSessionsOfGuests(tx, nowMs),
    lacksAdmin:
      (adminBootstrap === 'off' || (await findState(tx, 'bootstrap')) !== undefined) && !(await hasAdmin(tx)),
  }))
  const { change, inherited, members, guests, lacksAdmin } = outcome
  if (change && change.unreachableAccounts > 0)
    log.warn('provider: changed, accounts of the previous one are unreachable', {
      ...change,
    })
  else if (change) log.info('provider: changed, all accounts are reachable', { ...change })
  if (inherited)
    log.warn(
      'provider: OAUTH_USERINFO_ENDPOINT or OAUTH_SUBJECT_PATH changed, and accounts may be accessible to other people; administrators revoked: restore them with latchkey rooms admin grant',
      { ...inherited },
    )
  const openProvider = findOpenProvider(provider)
  if (openProvider !== null)
    log.warn('provider: everyone with an account there can sign in; AUTH_REQUIRE says who belongs here', {
      provider: openProvider,
    })
  if (members.length > 0)
    log.info('provider: AUTH_REQUIRE changed, and people sign in again under the new conditions', {
      sessions: members.length,
    })
  if (guests.length > 0) log.info('guests: disabled, their sessions have ended', { sessions: guests.length })
  if (lacksAdmin && provider.adminClaim !== null)
    log.info('administrators: none until a person signs in whose admin claim matches', {
      AUTH_ADMIN_CLAIM_PATH: provider.adminClaim.path.whole,
    })
  else if (lacksAdmin)
    log.info(
      'administrators: none; after a first sign-in, run latchkey rooms admin grant --user <id or issuer|subject>',
    )
}

/**
 * If subjects come from another source than at the last start, equal subjects may be other people,
 * and the service cannot distinguish them. No account keeps the right to administer unless a claim
 * grants it again.
 */
async function revokeInheritedAdmins(
  { dialect }: Database<Tables>,
  tx: Tx,
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

/**
 * Ends the sessions of members who signed in under other conditions, or none, and whom the present
 * ones may keep out (R38.1f).
 */
async function endSessionsOfOtherConditions(
  tx: Tx,
  { conditions }: ProviderConfig,
  nowMs: number,
): Promise<string[]> {
  const texts = JSON.stringify(conditions.map(({ text }) => text))
  const before = await exchangeState(tx, 'conditions', texts, nowMs)
  if (conditions.length === 0 || before === texts) return []
  const ended = await endSessions(tx, 'revoked', nowMs, (query) =>
    query.where('user_id', 'in', tx.selectFrom('users').select('id').where('is_guest', '=', 0)),
  )
  const metadata = { sessions: ended.length }
  const origin = { clientIp: null, requestId: null, nowMs }
  if (ended.length > 0)
    await recordAudit(tx, { action: 'auth.access_ended', actorUserId: null, metadata }, origin)
  return ended
}
