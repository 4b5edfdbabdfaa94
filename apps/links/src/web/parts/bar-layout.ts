/** Number of grid lines above the base line. */
const STEPS = 4
/** Free space on each side of bars, as a fraction of their shares of the width. */
const GAP = 0.18
const MAX_BAR_WIDTH = 36
const LABEL_GAP = 24
/** Pixels of a character at 12 px, rounded up. Measuring text would cause another layout. */
const CHARACTER_WIDTH = 6.5

/** Values of the grid lines: integers at equal distances, from 0 to at least `max`. */
export function scaleTicks(max: number): number[] {
  const rough = Math.max(max, 1) / STEPS
  const digits = Math.floor(Math.log10(rough)) + 1
  // A step is a multiple of 5, 50 and so on with its number of digits, and any integer below 10.
  const unit = 10 ** digits * (digits === 1 ? 0.1 : 0.05)
  const step = Math.ceil(Math.ceil(rough / unit) * unit)
  return Array.from({ length: STEPS + 1 }, (_, index) => index * step)
}

export interface BarPosition {
  /** Centre. */
  x: number
  /** Width with the space on both sides. */
  share: number
  width: number
}

/** Positions of `count` bars, from left to right between `left` and `left + width`. */
export function positionBars(count: number, left: number, width: number): BarPosition[] {
  const share = width / count
  const bar = Math.min(MAX_BAR_WIDTH, share * (1 - 2 * GAP))
  return Array.from({ length: count }, (_, index) => ({ x: left + share * (index + 0.5), share, width: bar }))
}

/**
 * Indexes of the labels to draw: every nth, with the smallest n at which no label touches another
 * one or the edge.
 */
export function chooseLabels(labels: readonly string[], positions: readonly BarPosition[]): number[] {
  const edge = (positions.at(-1)?.x ?? 0) + (positions.at(-1)?.share ?? 0) / 2
  for (let step = 1; step < labels.length; step++) {
    const indexes = labels.flatMap((_, index) => (index % step === 0 ? index : []))
    if (hasRoom(indexes, { labels, positions, edge })) return indexes
  }
  return labels.length > 0 ? [0] : []
}

interface LabelLayout {
  labels: readonly string[]
  positions: readonly BarPosition[]
  edge: number
}

function hasRoom(indexes: readonly number[], { labels, positions, edge }: LabelLayout): boolean {
  let nextFree = Number.NEGATIVE_INFINITY
  return indexes.every((index) => {
    const [x, half] = [positions[index]?.x ?? 0, ((labels[index] ?? '').length * CHARACTER_WIDTH) / 2]
    const isVisible = index === 0 || (x - half >= nextFree && x + half <= edge)
    nextFree = x + half + LABEL_GAP
    return isVisible
  })
}

/** SVG path with rounded upper corners. */
export function barPath({ x, width }: BarPosition, top: number, base: number): string {
  const radius = Math.min(3, width / 2, base - top)
  const [left, right] = [x - width / 2, x + width / 2]
  return `M${left},${base}V${top + radius}Q${left},${top} ${left + radius},${top}H${right - radius}Q${right},${top} ${right},${top + radius}V${base}Z`
}
