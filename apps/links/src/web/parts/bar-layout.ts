/** Lines that a chart has above its base. */
const STEPS = 4
/** Of a bar's share of the width, on each of its sides. */
const GAP = 0.18
const MAX_BAR_WIDTH = 36
const LABEL_GAP = 24
/** Of a character at 12 pixels, generously: measuring text would lay out the page once more. */
const CHARACTER_WIDTH = 6.5

/** Where the lines of a chart are: whole numbers from 0 to at least `max`, equally far apart. */
export function scaleTicks(max: number): number[] {
  const rough = Math.max(max, 1) / STEPS
  const digits = Math.floor(Math.log10(rough)) + 1
  // Twentieths of a power of ten read well; of a single digit only tenths do.
  const unit = 10 ** digits * (digits === 1 ? 0.1 : 0.05)
  const step = Math.ceil(Math.ceil(rough / unit) * unit)
  return Array.from({ length: STEPS + 1 }, (_, index) => index * step)
}

export interface BarPlace {
  /** The middle. */
  x: number
  /** Everything that belongs to the bar, with the space around it. */
  share: number
  width: number
}

/** Where each of `count` bars is, from left to right between `left` and `left + width`. */
export function placeBars(count: number, left: number, width: number): BarPlace[] {
  const share = width / count
  const bar = Math.min(MAX_BAR_WIDTH, share * (1 - 2 * GAP))
  return Array.from({ length: count }, (_, index) => ({ x: left + share * (index + 0.5), share, width: bar }))
}

/** The indexes of the labels to show: every first, second or further one, so that none touches another or the edge. */
export function chooseLabels(labels: readonly string[], places: readonly BarPlace[]): number[] {
  const edge = (places.at(-1)?.x ?? 0) + (places.at(-1)?.share ?? 0) / 2
  for (let step = 1; step < labels.length; step++) {
    const indexes = labels.flatMap((_, index) => (index % step === 0 ? index : []))
    if (hasRoom(indexes, { labels, places, edge })) return indexes
  }
  return labels.length > 0 ? [0] : []
}

interface LabelLayout {
  labels: readonly string[]
  places: readonly BarPlace[]
  edge: number
}

function hasRoom(indexes: readonly number[], { labels, places, edge }: LabelLayout): boolean {
  let nextFree = Number.NEGATIVE_INFINITY
  return indexes.every((index) => {
    const [x, half] = [places[index]?.x ?? 0, ((labels[index] ?? '').length * CHARACTER_WIDTH) / 2]
    const isVisible = index === 0 || (x - half >= nextFree && x + half <= edge)
    nextFree = x + half + LABEL_GAP
    return isVisible
  })
}

/** The path of a bar with round upper corners. */
export function barPath({ x, width }: BarPlace, top: number, base: number): string {
  const radius = Math.min(3, width / 2, base - top)
  const [left, right] = [x - width / 2, x + width / 2]
  return `M${left},${base}V${top + radius}Q${left},${top} ${left + radius},${top}H${right - radius}Q${right},${top} ${right},${top + radius}V${base}Z`
}
