import type { TimelineData } from '../../analytics/schema.ts'
import type { Wording } from './wording.ts'

type Buckets = TimelineData['buckets']

/** Heights in pixels: the space above the bars, the bars, and the chart with its labels. */
const TOP = 6
const BARS = 200
const HEIGHT = 236
/** Labels below the bars; a phone shows every other one. */
const MAX_LABELS = 8
const GRID_LINES = 4
const SCALE_WIDTH = 44

const DATE = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
const MONTH = { month: 'short', year: 'numeric', timeZone: 'UTC' } as const
const HOUR = { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' } as const

/** A bar chart of clicks with its table. Buckets that lie only partly in the window are paler. */
export function renderChart(buckets: Buckets, wording: Wording): string {
  if (buckets.every(({ count }) => count === 0)) return `<p class="none">${wording.texts.noClicks}</p>`
  const scale = niceCeiling(Math.max(...buckets.map(({ count }) => count)))
  const names = nameBuckets(buckets, wording)
  return `<div class="plot"><svg class="scale" width="${SCALE_WIDTH}" height="${HEIGHT}" aria-hidden="true">${renderScale(scale, wording)}</svg>
<svg class="chart" width="100%" height="${HEIGHT}" role="img" aria-labelledby="chart-title">
<g class="lines">${renderLines()}</g>
${buckets.map(({ count }, n) => renderBar({ n, of: buckets.length, share: count / scale }, tooltip(names[n], count, wording))).join('\n')}
<g class="axis" aria-hidden="true">${renderLabels(buckets, wording)}</g>
</svg></div>
${renderTable(buckets, names, wording)}`
}

function renderTable(buckets: Buckets, names: readonly string[], { locale, texts }: Wording): string {
  const rows = buckets.map(
    ({ count }, n) => `<tr><th scope="row">${names[n]}</th><td>${count.toLocaleString(locale)}</td></tr>`,
  )
  return `<details><summary>${texts.table}</summary><div class="scroll" tabindex="0" role="region" aria-label="${texts.clicksOverTime}"><table>
<thead><tr><th scope="col">${texts.time}</th><th scope="col">${texts.clicks}</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div></details>`
}

function renderBar({ n, of, share }: { n: number; of: number; share: number }, title: string): string {
  const slot = 100 / of
  const height = share === 0 ? 0 : Math.max(2, share * BARS)
  const isPartial = n === 0 || n === of - 1
  return `<g><title>${title}</title><rect class="slot" x="${percent(n * slot)}" width="${percent(slot)}" y="${TOP}" height="${BARS}"/><rect class="bar${isPartial ? ' partial' : ''}" x="${percent((n + 0.14) * slot)}" y="${(TOP + BARS - height).toFixed(1)}" width="${percent(slot * 0.72)}" height="${height.toFixed(1)}" rx="2"/></g>`
}

function tooltip(name: string | undefined, count: number, { locale, texts }: Wording): string {
  return `${name}: ${count.toLocaleString(locale)} ${texts.clicks.toLowerCase()}`
}

/** Heights of the grid lines, from the bottom. */
const LINES = Array.from({ length: GRID_LINES + 1 }, (_, n) => TOP + BARS - (n * BARS) / GRID_LINES)

function renderLines(): string {
  return LINES.map((y) => `<line x1="0" x2="100%" y1="${y}" y2="${y}"/>`).join('')
}

function renderScale(scale: number, { locale }: Wording): string {
  const format = new Intl.NumberFormat(locale, { notation: 'compact' })
  return LINES.map((y, n) => {
    const value = (scale * n) / GRID_LINES
    return `<text x="${SCALE_WIDTH - 10}" y="${y + 4}">${format.format(value)}</text>`
  }).join('')
}

function renderLabels(buckets: Buckets, wording: Wording): string {
  const step = Math.ceil(buckets.length / MAX_LABELS)
  return buckets
    .map(({ label }, n) => {
      if (n % step !== 0) return ''
      const isWideOnly = n % (step * 2) !== 0
      const at = percent(((n + 0.5) * 100) / buckets.length)
      // The first label would begin left of the chart.
      const start = n === 0 ? ' class="first"' : isWideOnly ? ' class="wide"' : ''
      return `<text x="${n === 0 ? '0' : at}" y="${HEIGHT - 8}"${start}>${shortName(label, wording)}</text>`
    })
    .join('')
}

/** Labels are `YYYY-MM-DD HH`, `YYYY-MM-DD` or `YYYY-MM`, in UTC (L14.4). */
function toDate(label: string): Date {
  return new Date(`${label.replace(' ', 'T').padEnd(10, '-01')}${label.length === 13 ? ':00Z' : ''}`)
}

function shortName(label: string, { locale }: Wording): string {
  const format = label.length === 13 ? HOUR : label.length === 7 ? MONTH : DATE
  return toDate(label).toLocaleString(locale, format)
}

function nameBuckets(buckets: Buckets, wording: Wording): string[] {
  const { locale, texts } = wording
  const [first, second] = buckets.map(({ label }) => toDate(label).getTime())
  const isWeekly = first !== undefined && second !== undefined && second - first === 7 * 86_400_000
  return buckets.map(({ label }, n) => {
    const date = toDate(label)
    const format = label.length === 13 ? { ...DATE, ...HOUR } : label.length === 7 ? MONTH : DATE
    const name = `${isWeekly ? `${texts.weekOf} ` : ''}${date.toLocaleString(locale, format)}`
    if (n === buckets.length - 1) return `${name} (${texts.soFar})`
    return n === 0 ? `${name} (${texts.partial})` : name
  })
}

/** The next round number whose quarters are whole numbers. */
function niceCeiling(max: number): number {
  for (let power = 1; ; power *= 10)
    for (const step of [4, 6, 8, 10, 12, 16, 20, 24, 32])
      if (step * power >= max && (step * power) % GRID_LINES === 0) return step * power
}

function percent(value: number): string {
  return `${Number(value.toFixed(3))}%`
}
