import { type Range, rangeInWords, rangeNames } from '../../time/ranges.ts'
import type { SharedStats } from '../../sharing/shared-stats.ts'
import { renderCards } from './cards.ts'
import { renderChart } from './chart.ts'
import { WORDMARK } from '../../redirect/pages.ts'
import { STYLES } from './styles.ts'
import type { Wording } from './wording.ts'

/**
 * The public page of a link's or bundle's statistics, complete without scripts (L41). User data is
 * escaped wherever it becomes part of the page (L24.17).
 */
export function renderSharedStats(stats: SharedStats, wording: Wording): string {
  const { locale, texts } = wording
  const title = Bun.escapeHTML(stats.title)
  const address = stats.address === null ? '' : `<p class="address">${Bun.escapeHTML(stats.address)}</p>`
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title} · ${texts.statistics}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${STYLES}</style>
</head>
<body>
<header>
<div>${WORDMARK}<p class="kind">${texts.statistics}</p><h1>${title}</h1>${address}</div>
${renderRanges(stats.range, wording)}
</header>
<main>
<section class="card" aria-labelledby="chart-title">
<dl class="totals">${renderTotals(stats, wording)}</dl>
<h2 id="chart-title" class="sr">${texts.clicksOverTime}, ${nameOf(stats.range, wording)}</h2>
${renderChart(stats.buckets, wording)}
</section>
${stats.clicks === 0 ? '' : `<div class="cards">\n${renderCards(stats, wording)}\n</div>`}
</main>
<footer><p>${texts.updated} ${formatMoment(stats.now, locale)}. ${texts.note}</p></footer>
</body>
</html>
`
}

const nameOf = (range: Range, { locale, texts }: Wording) => rangeInWords(range, locale, texts.allTime)

function renderRanges(current: Range, wording: Wording): string {
  const links = rangeNames.map((range) => {
    const state = range === current ? ' aria-current="page"' : ''
    return `<a href="?range=${range}"${state}>${nameOf(range, wording)}</a>`
  })
  return `<nav aria-label="${wording.texts.range}">${links.join('')}</nav>`
}

function renderTotals(stats: SharedStats, { locale, texts }: Wording): string {
  const total = (name: string, value: number | undefined, more = '') =>
    `<div><dt>${name}</dt><dd>${value?.toLocaleString(locale) ?? unknown}${more}</dd></div>`
  const unknown = `<span aria-hidden="true">–</span><span class="sr">${texts.unknown}</span>`
  const { clicks, countries } = stats
  return [
    total(texts.clicks, clicks, renderChange(stats.change, { locale, texts })),
    total(texts.visitors, stats.visitors),
    total(texts.countries, clicks > 0 ? countries.total || undefined : 0),
    ...(stats.kind === 'bundle' ? [total(texts.links, stats.linkCount)] : []),
  ].join('')
}

/** Above this, a percentage says less than a word. */
const MAX_CHANGE = 999

function renderChange(change: number | undefined, { locale, texts }: Wording): string {
  if (change === undefined) return ''
  const percent = new Intl.NumberFormat(locale, { style: 'percent', signDisplay: 'exceptZero' })
  const text = change > MAX_CHANGE ? texts.isNew : percent.format(change / 100)
  const kind = change > 0 ? 'up' : change < 0 ? 'down' : 'same'
  return ` <span class="change ${kind}">${text}<span class="sr"> ${texts.change}</span></span>`
}

function formatMoment(seconds: number, locale: string): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
  return `${new Date(seconds * 1000).toLocaleString(locale, format)} UTC`
}
