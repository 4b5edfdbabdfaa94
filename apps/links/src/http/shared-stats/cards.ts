import type { NameCount } from '../../api/fields.ts'
import type { SharedStats } from '../../sharing/shared-stats.ts'
import type { Wording } from './wording.ts'

interface Row {
  name: string
  count: number
  /** HTML before and after the name. */
  prefix?: string
  suffix?: string
}

interface Card {
  title: string
  rows: readonly Row[]
  /** Number of all values, of which the rows are the first. */
  total: number
  isWide?: boolean
}

/** The rankings of the page: links of a bundle, countries, referrers, devices, browsers. */
export function renderCards(stats: SharedStats, wording: Wording): string {
  const { texts } = wording
  const { countries, referrers, devices, browsers } = stats
  const links = { title: texts.links, rows: linkRows(stats), total: stats.links.length, isWide: true }
  const cards: Card[] = [
    ...(stats.kind === 'bundle' ? [links] : []),
    { ...countries, title: texts.countries, rows: countryRows(countries.items, wording) },
    { ...referrers, title: texts.referrers, rows: referrers.items },
    { ...devices, title: texts.devices, rows: deviceRows(devices.items, wording) },
    { ...browsers, title: texts.browsers, rows: browserRows(browsers.items, wording) },
  ]
  return cards.map((card) => renderCard(card, stats.clicks, wording)).join('\n')
}

function linkRows({ links }: SharedStats): Row[] {
  return links.map(({ title, slug, count }) => ({
    name: title,
    suffix: title === slug ? '' : ` <code>/${Bun.escapeHTML(slug)}</code>`,
    count,
  }))
}

function countryRows(items: readonly NameCount[], { locale }: Wording): Row[] {
  const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' })
  return items.map(({ name, count }) => ({
    name: regions.of(name) ?? name,
    prefix: `<span class="code" aria-hidden="true">${Bun.escapeHTML(name)}</span>`,
    count,
  }))
}

function deviceRows(items: readonly NameCount[], { texts }: Wording): Row[] {
  const names: Readonly<Record<string, string>> = {
    desktop: texts.desktop,
    mobile: texts.mobile,
    tablet: texts.tablet,
  }
  return items.map(({ name, count }) => ({ name: names[name] ?? name, count }))
}

function browserRows(items: readonly NameCount[], { texts }: Wording): Row[] {
  return items.map(({ name, count }) => ({ name: name === 'Other' ? texts.other : name, count }))
}

function renderCard({ title, rows, total, isWide }: Card, clicks: number, wording: Wording): string {
  const { locale, texts } = wording
  const hidden = total - rows.length
  const rest = hidden > 0 ? `<p class="rest">+ ${hidden.toLocaleString(locale)} ${texts.more}</p>` : ''
  const content =
    rows.length === 0 ? `<p class="none">${texts.noValues}</p>` : renderRows(rows, clicks, wording)
  return `<section class="card${isWide ? ' wide' : ''}"><h2>${title}</h2>${content}${rest}</section>`
}

function renderRows(rows: readonly Row[], clicks: number, { locale, texts }: Wording): string {
  const max = Math.max(...rows.map(({ count }) => count))
  const percent = new Intl.NumberFormat(locale, { style: 'percent' })
  const lines = rows.map(({ name, count, prefix = '', suffix = '' }) => {
    const bar = `<svg class="share" width="100%" height="100%" aria-hidden="true"><rect width="${((count * 100) / max).toFixed(1)}%" height="100%" rx="4"/></svg>`
    // A name of any direction of writing stays between its neighbours (L24.17).
    const heading = `<span>${prefix}<bdi>${Bun.escapeHTML(name)}</bdi>${suffix}</span>`
    return `<tr><th scope="row">${bar}${heading}</th><td>${count.toLocaleString(locale)}</td><td class="percent">${percent.format(count / clicks)}</td></tr>`
  })
  return `<table class="ranking"><colgroup><col><col class="count"><col class="percent"></colgroup>
<thead class="sr"><tr><th scope="col">${texts.name}</th><th scope="col">${texts.clicks}</th><th scope="col">%</th></tr></thead>
<tbody>
${lines.join('\n')}
</tbody></table>`
}
