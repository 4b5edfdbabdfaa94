import { fontFace, fontName } from '@latchkey/web/font'

/** Public, because the access layer guards the assets of the admin pages. */
export const FONT_PATH = `/_/fonts/${fontName}`

/**
 * The styles of all pages that visitors see. Colours are the tokens of `packages/web/src/theme.css`,
 * which a test compares. Text is readable before the font is loaded.
 */
export const BASE_STYLES = `
:root { --surface-0: #f7f8fa; --surface-1: #ffffff; --border: #e1e4ea; --text: #141a28; --text-dimmed: #565c6a; --accent: #2750c2; --accent-text: #2147ae; --brand-brass: #cd9635; --positive: #08734f; --negative: #b3261e; --chart-1: #3c68d9; --chart-grid: #e6e9ef; }
@media (prefers-color-scheme: dark) { :root { --surface-0: #0f1522; --surface-1: #161d2c; --border: #29324a; --text: #e5e8ed; --text-dimmed: #a3abbb; --accent: #3866e1; --accent-text: #9dbdff; --brand-brass: #e5ac4c; --positive: #5fd3a4; --negative: #ff9d95; --chart-1: #6494ff; --chart-grid: #232b3d; } }
${fontFace(FONT_PATH)}
* { box-sizing: border-box; }
body { background: var(--surface-0); color: var(--text); font: 16px/1.5 Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.brand { display: flex; align-items: center; gap: .5rem; margin: 0; color: var(--text-dimmed); font-size: 14px; }
.brand b { color: var(--text); font-weight: 600; letter-spacing: -.01em; }
.brand svg { display: block; width: 24px; height: 24px; }
`

/** The styles of a page with one message. */
export const MESSAGE_STYLES = `${BASE_STYLES}
body { display: grid; min-height: 100vh; min-height: 100dvh; margin: 0; }
main { place-self: center; width: 100%; max-width: 32rem; padding: 2rem 1.5rem 5rem; }
h1 { margin: 0 0 .5rem; font-size: 1.625rem; line-height: 1.25; font-weight: 600; letter-spacing: -.015em; text-wrap: balance; }
main p { margin: 0; color: var(--text-dimmed); text-wrap: pretty; overflow-wrap: anywhere; }
code { font: .95em ui-monospace, 'SF Mono', Consolas, monospace; font-variant-numeric: slashed-zero; }
main .brand { margin-bottom: 2rem; }
main .slug { margin-bottom: .25rem; color: var(--accent-text); font-weight: 500; }
main .more { margin-top: 1.5rem; font-size: 14px; }
.more a { color: var(--accent-text); }
main .actions { margin-top: 1.5rem; }
.actions a { display: inline-block; padding: .5rem 1rem; border: 1px solid transparent; border-radius: 6px; background: var(--accent); color: #fff; font-size: 14px; font-weight: 500; text-decoration: none; }
main .only-you { margin-top: 1.5rem; padding-left: .75rem; border-left: 3px solid var(--brand-brass); font-size: 14px; }
form { display: grid; gap: .5rem; max-width: 22rem; margin-top: 1.5rem; }
label { font-size: 14px; font-weight: 500; }
input, button { padding: .5rem .75rem; border: 1px solid var(--text-dimmed); border-radius: 6px; background: var(--surface-1); color: inherit; font: inherit; }
button { border-color: transparent; background: var(--accent); color: #fff; font-weight: 500; cursor: pointer; }
input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (pointer: coarse) { .actions a, input, button { padding-block: .75rem; } }
`
