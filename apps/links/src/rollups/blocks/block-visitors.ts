import type { Db } from '../../db/tables.ts'
import type { ViewerFilters } from '../../clicks/filters.ts'
import type { Window } from '../../time/window.ts'
import type { DistinctCounts } from '../visitors.ts'
import { type Block, type BlockColumn, type Group, groups } from './block.ts'
import { findParts, readBlocks } from './block-store.ts'
import { Scan, viewerConditions } from './scan.ts'

/** The visitors of the instance in a window that pass the filters. Run it in a `snapshot`. */
export async function countVisitors(db: Db, window: Window, filters: ViewerFilters): Promise<number> {
  const scan = new Scan({ window, starts: [], conditions: viewerConditions(filters), columns: [] })
  for await (const block of readBlocks(db, await findParts(db, window))) scan.add(block)
  return scan.visitors
}

/** The visitors of a block for each combination of filters. */
export function countBlockVisitors(block: Block): DistinctCounts {
  const isBot = flagsOf(block, 'agent', 'is_bot')
  const isSelfReferrer = flagsOf(block, 'source', 'is_self_referrer')
  const [agents, sources, visitors] = [block.codes('agent'), block.codes('source'), block.visitors()]
  const marks = new Uint8Array(1 + block.visitorCount)
  for (let row = 0; row < block.rows; row++) {
    const bot = isBot[agents[row] ?? 0]
    const own = isSelfReferrer[sources[row] ?? 0]
    const mark = RAW | (bot ? 0 : NO_BOTS) | (own ? 0 : NO_SELF) | (bot || own ? 0 : NEITHER)
    const visitor = visitors[row] ?? 0
    marks[visitor] = (marks[visitor] ?? 0) | mark
  }
  marks[0] = 0
  const count = (mark: number) => marks.reduce((sum, all) => sum + (all & mark ? 1 : 0), 0)
  return {
    distinct_raw: count(RAW),
    distinct_no_bots: count(NO_BOTS),
    distinct_no_self: count(NO_SELF),
    distinct_neither: count(NEITHER),
  }
}

const [RAW, NO_BOTS, NO_SELF, NEITHER] = [1, 2, 4, 8]

/** Returns for each combination of a group whether a flag is set. */
function flagsOf(block: Block, group: Group, column: BlockColumn): boolean[] {
  const columns: readonly BlockColumn[] = groups[group]
  const [width, index] = [columns.length, columns.indexOf(column)]
  const values = block.values(column)
  const tuples = block.tuples(group)
  return Array.from({ length: tuples.length / width }, (_, n) => values[tuples[n * width + index] ?? 0] === 1)
}
