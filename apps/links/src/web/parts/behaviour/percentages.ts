import type { Parts } from './types.ts'

/** Shares of weights in whole percent. They add up to 100, and none is 0. */
export function percentagesOf(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const exact = weights.map((weight) => (100 * weight) / total)
  const shares = exact.map((share) => Math.max(1, Math.floor(share)))
  const missing = () => 100 - shares.reduce((sum, share) => sum + share, 0)
  const byRemainder = exact
    .map((share, index) => ({ index, remainder: share - Math.floor(share) }))
    .toSorted((a, b) => b.remainder - a.remainder)
  for (const { index } of byRemainder) if (missing() > 0) shares[index] = (shares[index] ?? 0) + 1
  while (missing() < 0) {
    const largest = shares.indexOf(Math.max(...shares))
    shares[largest] = (shares[largest] ?? 0) - 1
  }
  return shares
}

/** Changes one share. Of two, the other becomes the rest. */
export function changeShare(
  shares: readonly (number | null)[],
  index: number,
  share: number | null,
): (number | null)[] {
  const next = shares.with(index, share)
  if (shares.length !== 2 || share === null || share < 1 || share > 99) return next
  return next.with(1 - index, 100 - share)
}

/** Weights of shares in percent. Present weights stay if these are their shares, rounded. */
export function weightsOf(shares: readonly number[], present: Parts | undefined): number[] {
  const weights = present?.map(({ weight }) => weight) ?? []
  const isSame = weights.length === shares.length && percentagesOf(weights).every((s, i) => s === shares[i])
  return isSame ? weights : [...shares]
}
