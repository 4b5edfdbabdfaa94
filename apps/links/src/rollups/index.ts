/** Statistics from rollups of complete periods, and from raw clicks where periods are missing. */
export type { Block, BlockColumn, BlockValue } from './blocks/block.ts'
export { findParts, readBlocks, readLinkBlock } from './blocks/block-store.ts'
export type { Part } from './blocks/block-store.ts'
export { Scan, nameOf, viewerConditions } from './blocks/scan.ts'
export type { ScanRequest } from './blocks/scan.ts'
export { endOf } from './cover.ts'
export { countClicksPerLink } from './bucket-clicks.ts'
export {
  findClickedLinks,
  readClicksByLink,
  readInstanceBuckets,
  readInstanceStats,
} from './instance-store.ts'
export type { ClickedLinks, InstanceBucket } from './instance-store.ts'
export { readInstanceBucketCounts } from './instance-buckets.ts'
export { readInstanceVisitors } from './instance-visitors.ts'
export { readBucketCounts, readLinkStats, readTimelineCounts } from './link-stats.ts'
export type { LinkClicks } from './link-tally.ts'
export { prefetchWindows } from './period-store.ts'
export { readRankings, readRankingsPerLink } from './rankings.ts'
export type { Ranking } from './rankings.ts'
export { RollupJob } from './rollup-job.ts'
export { sumByDimension } from './tally.ts'
export { distinctColumn, readVisitorCounts } from './visitors.ts'
export { readWindowClicks } from './window-clicks.ts'
export type { WindowClicks } from './window-clicks.ts'
