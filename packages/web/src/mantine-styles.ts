import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Returns Mantine's own styles for its components in `scripts`, in Mantine's order and form. The
 * styles of all components, rewritten by the bundler for old browsers, are six times as long.
 */
export function mantineStyles(scripts: readonly string[]): string {
  const all = Bun.resolveSync('@mantine/core/styles.css', import.meta.dirname)
  const order = readFileSync(all, 'utf8')
  const folder = join(dirname(all), 'styles')
  const used = new Set(scripts.flatMap((script) => script.match(CLASS) ?? []))
  return readdirSync(folder)
    .filter((name) => name.endsWith('.css') && !name.endsWith('.layer.css'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .map((styles) => ({ styles, classes: styles.match(CLASS) ?? [] }))
    .filter(({ classes }) => classes.length === 0 || classes.some((name) => used.has(name)))
    .toSorted((a, b) => placeOf(a.styles, order) - placeOf(b.styles, order))
    .map(({ styles }) => withoutSpace(styles))
    .join('\n')
}

/** Mantine's class names of styled components: `m_` and a hash. */
const CLASS = /\bm_[0-9a-f]{5,8}\b/g

function placeOf(styles: string, order: string): number {
  const index = order.indexOf(styles.trim().slice(0, 200))
  if (index === -1) throw new Error(`Mantine's styles.css lacks: ${styles.slice(0, 200)}`)
  return index
}

function withoutSpace(styles: string): string {
  return styles.replace(/\/\*[^]*?\*\//g, '').replace(/\s*\n\s*/g, '\n')
}
