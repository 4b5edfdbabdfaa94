/** The bucket number of the whole previous window. No bucket of clicks has this number. */
export const PREVIOUS_BUCKET = -1

/**
 * Clicks of a cluster: the links that are in exactly the same of the requested bundles. A row has
 * the clicks of one bucket, or those of one of the most clicked links in the window. Each cluster
 * has at least one row of the second kind, with the ids of its bundles.
 */
export type SummaryRow =
  | { cluster: number; clicks: number; bucket: number; bundles: null; link_id: null; slug: null }
  | { cluster: number; clicks: number; bucket: null; bundles: string; link_id: number; slug: string }

/** Clicks by bucket, and the most clicked links of each cluster in the bundle. */
interface SummaryStats {
  buckets: Map<number, number>
  links: { link_id: number; slug: string; clicks: number }[]
}

export function emptyStats(): SummaryStats {
  return { buckets: new Map(), links: [] }
}

export function statsByBundle(rows: readonly SummaryRow[]): Map<number, SummaryStats> {
  const byBundle = new Map<number, SummaryStats>()
  for (const cluster of Map.groupBy(rows, (row) => row.cluster).values())
    for (const bundle of bundlesOf(cluster)) {
      const own = byBundle.get(bundle) ?? emptyStats()
      byBundle.set(bundle, own)
      for (const row of cluster) addRow(own, row)
    }
  return byBundle
}

function bundlesOf(cluster: readonly SummaryRow[]): number[] {
  const ids = cluster.find((row) => row.bundles !== null)?.bundles
  return ids?.split(',').map(Number) ?? []
}

function addRow({ buckets, links }: SummaryStats, row: SummaryRow): void {
  if (row.bucket === null) links.push(row)
  else buckets.set(row.bucket, (buckets.get(row.bucket) ?? 0) + row.clicks)
}
