import { BASE_STYLES } from '../../redirect/page-styles.ts'

export const STYLES = `
${BASE_STYLES}
:root { --share: color-mix(in srgb, var(--chart-1) 15%, transparent); }
body { margin: 0 auto; max-width: 66rem; padding: 2rem 1.25rem 3rem; font-size: 14px; font-variant-numeric: tabular-nums; }
header { display: flex; flex-wrap: wrap; align-items: end; justify-content: space-between; gap: 1rem 2rem; margin-bottom: 1.25rem; }
.brand { margin-bottom: 1.5rem; }
.kind { margin: 0; color: var(--text-dimmed); font-weight: 500; }
h1 { margin: 0; font-size: clamp(1.375rem, 4vw, 1.875rem); line-height: 1.2; font-weight: 600; letter-spacing: -.015em; overflow-wrap: anywhere; text-wrap: balance; }
.address { margin: 0; color: var(--text-dimmed); font-size: 1rem; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 2px; padding: 3px; width: fit-content; max-width: 100%; border: 1px solid var(--border); border-radius: 8px; background: var(--surface-1); }
nav a { padding: .375rem .75rem; border-radius: 6px; color: var(--text-dimmed); font-weight: 500; text-decoration: none; }
nav a:hover { color: var(--text); background: var(--surface-0); }
nav a[aria-current] { color: #fff; background: var(--accent); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.card { padding: 1.25rem; border: 1px solid var(--border); border-radius: 8px; background: var(--surface-1); }
.totals { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 0 0 1.5rem; }
.totals dt { color: var(--text-dimmed); }
.totals dd { margin: 0; font-size: 1.75rem; line-height: 1.2; font-weight: 600; letter-spacing: -.02em; }
.totals div:first-child { padding-left: .875rem; border-left: 3px solid var(--brand-brass); }
.change { margin-left: .25rem; font-size: .875rem; font-weight: 500; letter-spacing: 0; vertical-align: .25em; color: var(--text-dimmed); }
.change.up { color: var(--positive); }
.change.down { color: var(--negative); }
.plot { display: flex; }
.plot svg { display: block; overflow: visible; }
.scale { flex: none; }
.chart { flex: 1; min-width: 0; }
.lines line { stroke: var(--chart-grid); }
.plot text { fill: var(--text-dimmed); font-size: 12px; }
.scale text { text-anchor: end; }
.chart .axis text { text-anchor: middle; }
.chart .axis .first { text-anchor: start; }
.slot { fill: transparent; }
.bar { fill: var(--chart-1); }
.bar.partial { fill-opacity: .55; }
g:hover > .bar { fill: var(--accent-text); fill-opacity: 1; }
g:hover > .slot { fill: var(--share); fill-opacity: .5; }
details { margin-top: .75rem; color: var(--text-dimmed); }
summary { width: fit-content; cursor: pointer; }
.scroll { max-height: 20rem; margin-top: .5rem; overflow: auto; }
table { width: 100%; border-collapse: collapse; }
details th, details td { padding: .25rem .5rem .25rem 0; border-bottom: 1px solid var(--border); text-align: start; font-weight: 400; }
details td { color: var(--text); text-align: end; }
details thead th:last-child { text-align: end; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr)); gap: 1rem; margin-top: 1rem; }
.cards .wide { grid-column: 1 / -1; }
h2 { margin: 0 0 .75rem; font-size: 1rem; font-weight: 600; }
.ranking { border-spacing: 0 2px; border-collapse: separate; table-layout: fixed; }
.ranking tbody th { position: relative; padding: .3125rem .5rem; font-weight: 400; text-align: start; }
.ranking th > span { position: relative; display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.count { width: 4.5rem; }
.percent { width: 3.25rem; }
.ranking td { text-align: end; font-weight: 500; }
.ranking td.percent { color: var(--text-dimmed); font-weight: 400; }
.share { position: absolute; inset: 0; }
.share rect { fill: var(--share); }
.code, code { display: inline-block; margin-right: .5rem; color: var(--text-dimmed); font: 500 12px/1 ui-monospace, 'SF Mono', Consolas, monospace; }
.ranking th .code { display: inline-block; width: 1.5rem; }
.ranking code { margin-left: .5rem; }
.rest, .none { margin: .5rem 0 0; color: var(--text-dimmed); }
.none { margin: 0; padding: 1.5rem 0; text-align: center; }
footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; margin-top: 1.5rem; color: var(--text-dimmed); font-size: 13px; }
footer p { margin: .25rem 0; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 40rem) { body { padding: 1.25rem 1rem 2rem; } .chart .wide { display: none; } .card { padding: 1rem; } nav { display: grid; grid-template-columns: repeat(3, 1fr); width: 100%; } nav a { padding: .5rem .25rem; text-align: center; } .totals { gap: .75rem 1.5rem; } .totals dd { font-size: 1.5rem; } }
@media (forced-colors: active) { .bar, .share rect { fill: Highlight; forced-color-adjust: none; } .share { opacity: .3; } nav a[aria-current] { outline: 2px solid; } }
@media print { body { background: none; } nav, details { display: none; } .card { break-inside: avoid; } }
`
