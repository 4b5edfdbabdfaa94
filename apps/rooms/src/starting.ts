import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Transaction } from 'kysely'
import type { Tables } from './db/tables.ts'
import { hasAdmin } from './grants/operations.ts'
import { endAllGuests } from './guests/operations.ts'
import { issuerOf } from './login/provider-config.ts'
import { noteProvider } from './platform/provider-change.ts'
import type { Settings } from './settings.ts'

/** What settings that differ from those of the last start mean for what is in the database; before anybody is served. */
export async function settle(
  database: Database<Tables>,
  { provider, guestEnabled, adminBootstrap }: Settings,
  log: Log,
  nowMs: number,
): Promise<void> {
  const name = { mode: provider.mode, issuer: issuerOf(provider) }
  const outcome = await database.write(async (tx) => ({
    change: await noteProvider(tx, name, nowMs),
    guests: guestEnabled ? [] : await endAllGuests(tx, nowMs),
    lacksAdmin: (adminBootstrap === 'off' || (await hadFirstLogin(tx))) && !(await hasAdmin(tx)),
  }))
  const { change, guests, lacksAdmin } = outcome
  if (change)
    log.warn('the identity provider has changed: accounts of the earlier one cannot be reached', {
      ...change,
    })
  if (guests.length > 0)
    log.info('guests are no longer admitted, and their sessions have ended', { sessions: guests.length })
  if (lacksAdmin)
    log.info(
      'nobody can administer yet: once somebody has signed in, run latchkey rooms admin grant --user <id or issuer|subject>',
    )
}

/** Then no login to come makes an administrator by itself (R9.2). */
async function hadFirstLogin(tx: Transaction<Tables>): Promise<boolean> {
  const marker = tx.selectFrom('platform_state').select('key').where('key', '=', 'bootstrap')
  return (await marker.executeTakeFirst()) !== undefined
}
