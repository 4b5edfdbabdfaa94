/** Stands for the whole window before; no bucket of clicks has this number. */
export const BEFORE = -1

/**
 * Clicks of a cluster: the links that are in exactly the same of the bundles asked for. Either those in one bucket, or
 * those of one of its most clicked links in the window; each cluster has at least one of these, with its bundles' ids.
 */
export type Figure =
  | { cluster: number; clicks: number; bucket: number; bundles: null; link_id: null; slug: null }
  | { cluster: number; clicks: number; bucket: null; bundles: string; link_id: number; slug: string }

/** Clicks by bucket, and the most clicked links of each cluster in the bundle. */
interface BundleFigures {
  buckets: Map<number, number>
  links: { link_id: number; slug: string; clicks: number }[]
}

export function noFigures(): BundleFigures {
  return { buckets: new Map(), links: [] }
}

export function figuresByBundle(figures: readonly Figure[]): Map<number, BundleFigures> {
  const byBundle = new Map<number, BundleFigures>()
  for (const cluster of Map.groupBy(figures, (figure) => figure.cluster).values())
    for (const bundle of bundlesOf(cluster)) {
      const own = byBundle.get(bundle) ?? noFigures()
      byBundle.set(bundle, own)
      for (const figure of cluster) addFigure(own, figure)
    }
  return byBundle
}

function bundlesOf(cluster: readonly Figure[]): number[] {
  const ids = cluster.find((figure) => figure.bundles !== null)?.bundles
  return ids?.split(',').map(Number) ?? []
}

function addFigure({ buckets, links }: BundleFigures, figure: Figure): void {
  if (figure.bucket === null) links.push(figure)
  else buckets.set(figure.bucket, (buckets.get(figure.bucket) ?? 0) + figure.clicks)
}
