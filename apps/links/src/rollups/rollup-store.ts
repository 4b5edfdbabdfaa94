import { inList } from '@latchkey/database/database'
import { lockRows } from '@latchkey/database/locks'
import type { ClickCounts, ClickPeriodTable, PeriodUnit } from '../db/click-tables.ts'
import type { Db, Tx } from '../db/tables.ts'
import type { Block } from './blocks/block.ts'
import { isBlockUnit, storeBlock } from './blocks/block-store.ts'
import { endOf, periodUnits } from './cover.ts'
import type { LinkTally } from './link-tally.ts'
import type { RollupColumn, Tally } from './tally.ts'
import type { DistinctCounts } from './visitors.ts'

/** A period whose clicks have changed since its last rollup. Each change gives it a new stamp. */
export interface DuePeriod {
  unit: PeriodUnit
  start: number
  stamp: number
}

/** The stored rollup of one period, of a link or of the instance. */
export interface PeriodRollup {
  link_id: number
  total: ClickCounts
  distinct: DistinctCounts
  tally: Tally
  columns: readonly RollupColumn[]
}

/**
 * The oldest of the smallest periods that are due and over. Larger periods are rolled up from
 * smaller ones.
 */
export async function findNextDue({ read }: Db, now: number): Promise<DuePeriod | undefined> {
  for (const unit of periodUnits.toReversed()) {
    const due = await read
      .selectFrom('click_due')
      .selectAll()
      .where('unit', '=', unit)
      .orderBy('start')
      .limit(1)
      .executeTakeFirst()
    if (due && endOf(unit, due.start) <= now) return due
  }
  return undefined
}

/** Returns the links that have a valid rollup of the period. */
export async function findRolledUpLinks(
  { read, dialect }: Db,
  { unit, start }: DuePeriod,
  linkIds: readonly number[],
): Promise<Set<number>> {
  const rows = await read
    .selectFrom('click_period')
    .select('link_id')
    .where(inList(dialect, 'link_id', linkIds))
    .where('unit', '=', unit)
    .where('start', '=', start)
    .execute()
  return new Set(rows.map((row) => row.link_id))
}

/**
 * Stores rollups of links. Returns false, without storing, if the period has changed since this
 * stamp.
 */
export async function storeLinkRollups(
  db: Db,
  due: DuePeriod,
  rollups: readonly PeriodRollup[],
): Promise<boolean> {
  return db.write(async (tx) => {
    if (!(await isUnchanged(tx, db, due))) return false
    await storePeriods(tx, db, due, rollups)
    return true
  })
}

/** Like `storeLinkRollups`, for the instance. Afterwards the period is not due. */
export async function storeInstanceRollup(
  db: Db,
  due: DuePeriod,
  instance: PeriodRollup,
  { links, visitors, block }: { links: LinkTally; visitors: DistinctCounts; block: Block | undefined },
): Promise<boolean> {
  return db.write(async (tx) => {
    if (!(await isUnchanged(tx, db, due))) return false
    const { unit, start } = due
    await tx.deleteFrom('click_due').where('unit', '=', unit).where('start', '=', start).execute()
    await tx.deleteFrom('click_link').where('unit', '=', unit).where('start', '=', start).execute()
    await tx
      .insertInto('click_link')
      .values({ unit, start, links: links.toPacked(), ...visitors })
      .execute()
    await storePeriods(tx, db, due, [instance])
    if (isBlockUnit(unit)) await storeBlock(tx, { unit, start, stamp: due.stamp }, block)
    return true
  })
}

/**
 * Locks the due row until the transaction ends. Changes of the period's clicks come before or after
 * it.
 */
async function isUnchanged(tx: Tx, { dialect }: Db, { unit, start, stamp }: DuePeriod): Promise<boolean> {
  const query = tx
    .selectFrom('click_due')
    .select('stamp')
    .where('unit', '=', unit)
    .where('start', '=', start)
    .where('stamp', '=', stamp)
  return (await lockRows(dialect, query, 'start').executeTakeFirst()) !== undefined
}

async function storePeriods(
  tx: Tx,
  { dialect }: Db,
  due: DuePeriod,
  rollups: readonly PeriodRollup[],
): Promise<void> {
  const { unit, start, stamp } = due
  const ids = rollups.map(({ link_id }) => link_id)
  for (const table of ['click_period', 'click_sum'] as const)
    await tx
      .deleteFrom(table)
      .where(inList(dialect, 'link_id', ids))
      .where('unit', '=', unit)
      .where('start', '=', start)
      .execute()
  const periods: ClickPeriodTable[] = rollups.map(({ link_id, total, distinct }) => ({
    link_id,
    unit,
    start,
    ...total,
    ...distinct,
    stamp,
  }))
  await tx.insertInto('click_period').values(periods).execute()
  const sums = rollups.flatMap(({ link_id, tally, columns }) =>
    columns.flatMap((dimension) => {
      const packed = tally.valuesOf(dimension).toPacked(dimension !== 'visitor_fp')
      return packed ? [{ link_id, unit, start, dimension, ...packed }] : []
    }),
  )
  for (const rows of chunks(sums)) await tx.insertInto('click_sum').values(rows).execute()
}

/** Rows per statement. Engines accept some ten thousand parameters. */
const ROWS_PER_INSERT = 500

function chunks<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_INSERT) }, (_, index) =>
    rows.slice(index * ROWS_PER_INSERT, (index + 1) * ROWS_PER_INSERT),
  )
}
