/** Statistics from rollups of complete periods, and from raw clicks where periods are missing. */
export {
  findClickedLinks,
  readClicksByLink,
  readInstanceBuckets,
  readInstanceStats,
} from './instance-store.ts'
export type { ClickedLinks, InstanceBucket } from './instance-store.ts'
export { readBucketCounts, readLinkStats, readTimelineCounts } from './link-stats.ts'
export type { LinkClicks } from './link-tally.ts'
export { readRankings, readRankingsPerLink } from './rankings.ts'
export type { Ranking } from './rankings.ts'
export { RollupJob } from './rollup-job.ts'
export { sumByDimension } from './tally.ts'
export { readWindowClicks } from './window-clicks.ts'
export type { WindowClicks } from './window-clicks.ts'
