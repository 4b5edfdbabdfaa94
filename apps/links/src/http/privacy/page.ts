import { BASE_STYLES } from '../../redirect/page-styles.ts'
import { WORDMARK } from '../../redirect/pages.ts'
import type { PrivacyStatement } from './statement.ts'
import { type Item, items } from './stored-fields.ts'
import type { PrivacyTexts } from '../../texts/texts.ts'

const STYLES = `${BASE_STYLES}
body { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; font-size: 14px; }
header { margin-bottom: 1.5rem; }
.brand { margin-bottom: 1.5rem; }
h1 { margin: 0 0 .375rem; font-size: clamp(1.375rem, 4vw, 1.875rem); line-height: 1.2; font-weight: 600; letter-spacing: -.015em; }
h2 { margin: 0 0 .75rem; font-size: 1rem; font-weight: 600; }
.intro { max-width: 38rem; margin: 0; color: var(--text-dimmed); font-size: 1rem; text-wrap: pretty; }
.card { padding: 1.25rem; border: 1px solid var(--border); border-radius: 8px; background: var(--surface-1); }
.card + .card { margin-top: 1rem; }
.card p { margin: 0; }
.card ul { display: grid; gap: .375rem; margin: 0; padding-left: 1.125rem; }
.facts { width: 100%; border-collapse: collapse; }
.facts th, .facts td { padding: .5rem 1rem .5rem 0; border-top: 1px solid var(--border); text-align: start; vertical-align: top; font-weight: 400; }
.facts thead th { padding-top: 0; border: 0; color: var(--text-dimmed); }
.facts td { width: 45%; padding-right: 0; color: var(--text-dimmed); }
.facts small { display: block; color: var(--positive); font-size: 13px; }
footer { margin-top: 1.5rem; color: var(--text-dimmed); font-size: 13px; }
footer p { margin: .25rem 0; }
footer a { color: var(--accent-text); }
@media (max-width: 40rem) { body { padding: 1.25rem 1rem 2rem; } .card { padding: 1rem; } .facts thead { display: none; } .facts tr, .facts th, .facts td { display: block; width: auto; } .facts tr { padding: .5rem 0; border-top: 1px solid var(--border); } .facts th, .facts td { padding: 0; border: 0; } }
`

interface Wording {
  locale: string
  texts: PrivacyTexts
}

/** The public page of the privacy statement, complete without scripts. All its texts are our own. */
export function renderPrivacy(statement: PrivacyStatement, { locale, texts }: Wording): string {
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${texts.title} · Latchkey Links</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${STYLES}</style>
</head>
<body>
<header>
${WORDMARK}
<h1>${texts.title}</h1>
<p class="intro">${texts.intro}</p>
</header>
<main>
${renderCard(texts.stored, renderFields(statement, texts))}
${renderCard(texts.duration, renderList(durations(statement, { locale, texts })))}
${renderCard(texts.never, renderList(omissions(statement, texts)))}
${renderCard(texts.gpc, `<p>${statement.honors_gpc ? texts.gpcOn : texts.gpcOff}</p>`)}
${renderCard(texts.seen, renderList(readers(statement, texts)))}
</main>
<footer><p>${texts.scope}</p><p><a href="privacy.json">${texts.json}</a></p></footer>
</body>
</html>
`
}

function renderCard(title: string, content: string): string {
  return `<section class="card"><h2>${title}</h2>${content}</section>`
}

function renderList(sentences: readonly string[]): string {
  return `<ul>${sentences.map((sentence) => `<li>${sentence}</li>`).join('')}</ul>`
}

function renderFields({ clicks, ...statement }: PrivacyStatement, texts: PrivacyTexts): string {
  const fields = Map.groupBy(clicks.fields, ({ about }) => about)
  const rows = items.flatMap((item) => {
    const [first] = fields.get(item) ?? []
    if (!first) return []
    const note = first.with_gpc ? '' : `<small>${texts.notWithGpc}</small>`
    const isHeader = item === 'country' && statement.country_from.includes('proxy_header')
    const source = isHeader ? texts.countryHeader : texts.sources[first.from]
    return [
      `<tr><th scope="row">${nameOf(item, statement.privacy, texts)}${note}</th><td>${source}</td></tr>`,
    ]
  })
  return `<table class="facts"><thead><tr><th scope="col">${texts.what}</th><th scope="col">${texts.from}</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`
}

function nameOf(item: Item, privacy: PrivacyStatement['privacy'], texts: PrivacyTexts): string {
  return item === 'referrer' && privacy === 'lean' ? texts.leanReferrer : texts.items[item]
}

function durations({ clicks }: PrivacyStatement, { locale, texts }: Wording): string[] {
  const { kept_days: days } = clicks
  const deletion = texts.keptDays[days === 1 ? 'one' : 'other']
  return [
    days === null ? texts.keptForever : deletion.replace('{{days}}', days.toLocaleString(locale)),
    texts.rollups,
    texts.salts,
    texts.backups,
  ]
}

function omissions({ privacy }: PrivacyStatement, texts: PrivacyTexts): string[] {
  const { neverAddress, neverCookies, neverQuery, neverQueryLean, neverLean } = texts
  const rest = privacy === 'lean' ? [neverLean, neverQueryLean] : [neverQuery]
  return [neverAddress, neverCookies, ...rest]
}

function readers(statement: PrivacyStatement, texts: PrivacyTexts): string[] {
  const { seen_by: seenBy, fetched_from_destinations: fetched } = statement
  return [
    texts.seenOperator,
    'people_at_the_server' in seenBy ? texts.seenLocal : texts.seenAdmitted,
    'assistants' in seenBy ? texts.seenKeysAndAssistants : texts.seenKeys,
    texts.seenShared,
    texts.sentToNoOne,
    ...(fetched.titles || fetched.icons ? [texts.fetches] : []),
  ]
}
