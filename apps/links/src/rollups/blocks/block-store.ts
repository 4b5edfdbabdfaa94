import { inList } from '@latchkey/database/database'
import { type Transaction, sql } from 'kysely'
import { forEachRow, streamRows } from '../../db/stream.ts'
import type { PeriodUnit } from '../../db/click-tables.ts'
import type { Db, Tables } from '../../db/tables.ts'
import { DAY, type Window, sum } from '../../time/window.ts'
import { endOf } from '../cover.ts'
import { NO_FILTERS } from '../../clicks/filters.ts'
import { countRawClicks } from '../instance-buckets.ts'
import { INSTANCE } from '../period-store.ts'
import { clickTable } from '../tally-store.ts'
import { type Block, type BlockClick, blockColumns, packBlock, unpackBlock } from './block.ts'
import { BlockBuilder } from './block-builder.ts'

/** The units of blocks, largest first. */
const blockUnits = ['month', 'day', 'hour'] as const satisfies PeriodUnit[]
type BlockUnit = (typeof blockUnits)[number]

export function isBlockUnit(unit: PeriodUnit): unit is BlockUnit {
  return (blockUnits as readonly PeriodUnit[]).includes(unit)
}

/** Clicks to be read: a stored block with all clicks of its period, or raw clicks of `[low, high)`. */
export interface Part {
  unit: BlockUnit | 'raw'
  low: number
  high: number
  clicks: number
}

/**
 * Finds the parts that have all clicks of a window, by time: the largest complete blocks, at most
 * of this unit, and raw clicks for the rest. Blocks also have the clicks outside the window.
 */
export async function findParts(db: Db, { from, to }: Window, maxUnit: BlockUnit = 'month'): Promise<Part[]> {
  const blocks = await findBlocks(db, { from, to })
  const parts: Part[] = []
  let gaps = [{ low: from, high: to + 1 }]
  for (const unit of blockUnits.slice(blockUnits.indexOf(maxUnit))) {
    const own = blocks.filter((block) => block.unit === unit)
    gaps = gaps.flatMap((gap) => {
      const fitting = own.filter(({ low, high }) => high > gap.low && low < gap.high)
      parts.push(...fitting)
      return subtract(gap, fitting)
    })
  }
  const raw = await findRawParts(db, gaps)
  return [...parts, ...raw.filter(({ clicks }) => clicks > 0)].toSorted((a, b) => a.low - b.low)
}

type Interval = Pick<Part, 'low' | 'high'>

function subtract({ low, high }: Interval, parts: readonly Interval[]): Interval[] {
  const ends = [low, ...parts.map((part) => part.high)]
  const starts = [...parts.map((part) => part.low), high]
  return ends.map((end, n) => ({ low: end, high: starts[n] ?? high })).filter((gap) => gap.low < gap.high)
}

/** The longest month, in seconds. */
const LONGEST = 31 * DAY

/** Complete blocks that overlap the window, by time. Those with open hours lack clicks. */
async function findBlocks({ read }: Db, { from, to }: Window): Promise<Part[]> {
  const { rows } = await sql<{ unit: BlockUnit | 'open'; start: number; clicks: number }>`
    select block.unit, block.start, block.clicks from click_block as block
    join click_period as period on period.link_id = ${INSTANCE} and period.unit = block.unit
      and period.start = block.start and period.stamp = block.stamp
    where block.start > ${from - LONGEST} and block.start <= ${to}
    union all select 'open', hour, 0 from (select distinct hour from click_hour_open) as hours`.execute(read)
  const open = rows.filter(({ unit }) => unit === 'open').map(({ start }) => start)
  return rows
    .flatMap(({ unit, start, clicks }) =>
      unit === 'open' ? [] : [{ unit, low: start, high: endOf(unit, start), clicks }],
    )
    .filter(({ low, high }) => high > from && !open.some((hour) => hour >= low && hour < high))
    .toSorted((a, b) => a.low - b.low)
}

async function findRawParts(db: Db, gaps: readonly Interval[]): Promise<Part[]> {
  const clicks = await countRawClicks(db, gaps, NO_FILTERS)
  return gaps.map((gap, n) => ({ unit: 'raw', ...gap, clicks: clicks[n] ?? 0 }))
}

/** Reads the blocks of these parts one after the other. Raw clicks become one block per UTC day. */
export async function* readBlocks(db: Db, parts: readonly Part[]): AsyncGenerator<Block> {
  for (const { unit, low, high } of parts)
    if (unit === 'raw') yield* readRawBlocks(db, { low, high })
    else yield await readStoredBlock(db, unit, low)
}

async function readStoredBlock({ read }: Db, unit: BlockUnit, start: number): Promise<Block> {
  const row = await read
    .selectFrom('click_block')
    .select('data')
    .where('unit', '=', unit)
    .where('start', '=', start)
    .executeTakeFirstOrThrow()
  return unpackBlock(row.data, start)
}

/** Raw clicks, one block per UTC day: the visitors of a day are distinguished in memory. */
async function* readRawBlocks(db: Db, { low, high }: Interval): AsyncGenerator<Block> {
  const clicks = sql<BlockClick>`select ${columns} from ${clickTable(db)}
    where clicked_at >= ${low} and clicked_at < ${high} order by clicked_at`
  let builder: BlockBuilder | undefined
  let end = low
  for await (const rows of streamRows(db, clicks))
    for (const click of rows) {
      const isNewDay = click.clicked_at >= end
      if (isNewDay && builder) yield builder.toBlock({ withKeys: true })
      if (isNewDay || !builder) builder = new BlockBuilder(click.clicked_at)
      if (isNewDay) end = click.clicked_at - (click.clicked_at % DAY) + DAY
      builder.add(click)
    }
  if (builder) yield builder.toBlock({ withKeys: true })
}

const columns = sql.raw(['link_id', 'slug', 'clicked_at', 'visitor_fp', ...blockColumns].join(', '))

/** The raw clicks of these links in a window, as one block. For links with few clicks. */
export async function readLinkBlock(
  db: Db,
  linkIds: readonly number[],
  { from, to }: Window,
): Promise<Block> {
  const builder = new BlockBuilder(from)
  const clicks = sql<BlockClick>`select ${columns} from click
    where ${inList(db.dialect, 'link_id', linkIds)} and clicked_at >= ${from} and clicked_at <= ${to}`
  await forEachRow(db, clicks, (click) => builder.add(click))
  return builder.toBlock({ withKeys: false })
}

/** The most clicks in a block of each unit. A period with more has smaller blocks. */
const MAX_CLICKS: Readonly<Record<BlockUnit, number>> = { month: 2 ** 17, day: 2 ** 18, hour: Infinity }

/** The smallest hour of a past day that has a block before its day has one. */
const MIN_PAST_HOUR = 4_096

/**
 * Builds the block of a period from smaller blocks and raw clicks; undefined if it gets none. The
 * hours of a past day are soon part of its block. Run it in a `snapshot`.
 */
export async function buildBlock(
  db: Db,
  { unit, start }: { unit: BlockUnit; start: number },
  now: number,
): Promise<Block | undefined> {
  const period = { from: start, to: endOf(unit, start) - 1 }
  const parts =
    unit === 'hour'
      ? await findRawParts(db, [{ low: start, high: period.to + 1 }])
      : await findParts(db, period, SMALLER[unit])
  const clicks = sum(parts.map((part) => part.clicks))
  const isPastHour = unit === 'hour' && endOf('day', start - (start % DAY)) <= now
  if (clicks === 0 || clicks > MAX_CLICKS[unit] || (isPastHour && clicks < MIN_PAST_HOUR)) return undefined
  const builder = new BlockBuilder(start)
  for await (const block of readBlocks(db, parts)) builder.addBlock(block)
  return builder.toBlock({ withKeys: unit === 'hour' })
}

const SMALLER = { month: 'day', day: 'hour' } as const

/** Replaces the block of a period, and the smaller ones in it if there is a block. */
export async function storeBlock(
  tx: Transaction<Tables>,
  { unit, start, stamp }: { unit: BlockUnit; start: number; stamp: number },
  block: Block | undefined,
): Promise<void> {
  await tx.deleteFrom('click_block').where('unit', '=', unit).where('start', '=', start).execute()
  if (!block) return
  await tx
    .insertInto('click_block')
    .values({ unit, start, stamp, clicks: block.rows, data: packBlock(block) })
    .execute()
  for (const smaller of blockUnits.slice(blockUnits.indexOf(unit) + 1))
    await tx
      .deleteFrom('click_block')
      .where('unit', '=', smaller)
      .where('start', '>=', start)
      .where('start', '<', endOf(unit, start))
      .execute()
}
