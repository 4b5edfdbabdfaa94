import { type Finding, fail, ok } from '@latchkey/doctor/finding'
import type { Kysely } from 'kysely'
import { DAY, HOUR } from '../time/window.ts'
import { isAddress } from '../clicks/address.ts'
import { dayOf } from '../clicks/visitor.ts'
import type { Tables } from '../db/tables.ts'
import type { Settings } from '../settings/settings.ts'
import {
  findDetailedClick,
  findOldestClick,
  findOldestSaltDay,
  findOutdatedBlock,
  findOutdatedSum,
  readForgottenCandidates,
  readValueCandidates,
} from './store.ts'

type Db = Kysely<Tables>

/** How long a salt may be stored after its day (L37.1). */
const MAX_SALT_AGE = 2 * DAY
/** Deletion runs every hour and takes a while. */
const RETENTION_TOLERANCE = 2 * HOUR

/**
 * Proves on the stored rows what the privacy statement says (L37.4). Names the first row that
 * contradicts it, never its value. Rollups and blocks of values are summed from the rows that are
 * read here. Memory is bounded: rows are read in parts, and only values that may be addresses.
 */
export async function checkPrivacy(
  read: Db,
  settings: Pick<Settings, 'retentionDays' | 'privacy'>,
  now: number,
): Promise<Finding[]> {
  const salts = await checkSalts(read, now)
  return [
    await checkAddresses(read),
    await checkAge(read, settings, now),
    ...(settings.privacy === 'lean' ? [await checkDetails(read)] : []),
    ...(salts.length > 0 ? salts : [ok('privacy', 'no visitor salt is stored 48 hours after its day')]),
  ]
}

export async function checkSalts(read: Db, now: number): Promise<Finding[]> {
  const day = await findOldestSaltDay(read)
  if (day === undefined || day + DAY + MAX_SALT_AGE >= now) return []
  return [
    fail(
      'privacy',
      `the visitor salt of ${dateOf(day)} is still stored: start the service, which deletes it within a minute, or check its log`,
    ),
  ]
}

async function checkAddresses(read: Db): Promise<Finding> {
  const remedy = 'erase this value'
  let clicks = 0
  for await (const { count, candidates } of readValueCandidates(read)) {
    clicks += count
    const match = candidates.find(({ value }) => isAddress(value))
    if (match) return fail('privacy', `click ${match.id}: ${match.column} is an IP address: ${remedy}`)
  }
  for await (const candidates of readForgottenCandidates(read)) {
    const match = candidates.find(({ name }) => isAddress(name))
    if (match)
      return fail(
        'privacy',
        `click_forgotten, link ${match.link_id}, hour ${match.hour}: a value of ${match.dimension} is an IP address: ${remedy}`,
      )
  }
  return ok('privacy', `no visitor's value among ${clicks} clicks is an IP address`)
}

async function checkAge(
  read: Db,
  { retentionDays }: Pick<Settings, 'retentionDays'>,
  now: number,
): Promise<Finding> {
  if (retentionDays === null)
    return ok('privacy', 'clicks are kept without a time limit: LINKS_RETENTION_DAYS is unset')
  // Clicks are deleted by whole days.
  const oldest = dayOf(now - RETENTION_TOLERANCE - retentionDays * DAY)
  const row = (await findOldRow(read, oldest)) ?? undefined
  return row === undefined
    ? ok('privacy', `no click is older than ${retentionDays} days after its day (LINKS_RETENTION_DAYS)`)
    : fail(
        'privacy',
        `${row} is older than LINKS_RETENTION_DAYS=${retentionDays} allows: start the service, which deletes it within an hour, or check its log`,
      )
}

/** The name of a row with single clicks from before this moment. */
async function findOldRow(read: Db, oldest: number): Promise<string | undefined> {
  const click = await findOldestClick(read)
  if (click && click.clicked_at < oldest) return `click ${click.id} of ${dateOf(click.clicked_at)}`
  const block = await findOutdatedBlock(read, oldest)
  if (block) return `click_block, ${block.unit} of ${dateOf(block.start)}`
  const sum = await findOutdatedSum(read, oldest)
  return sum && `click_sum, link ${sum.link_id}, ${sum.dimension}, ${sum.unit} of ${dateOf(sum.start)}`
}

async function checkDetails(read: Db): Promise<Finding> {
  const id = await findDetailedClick(read)
  return id === undefined
    ? ok('privacy', 'no click has a user agent or a full referrer (LINKS_PRIVACY=lean)')
    : fail(
        'privacy',
        `click ${id} has a user agent or a full referrer: start the service, which erases them within an hour, or check its log`,
      )
}

function dateOf(moment: number): string {
  return new Date(moment * 1000).toISOString().slice(0, 10)
}
