export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const
export type UtmName = (typeof UTM_NAMES)[number]

const KEY = 'latchkey:utm'
const MAX_VALUES = 20

/** Splits a URL around its query, without changing a character of it. */
function splitQuery(url: string) {
  const [rest = '', ...hash] = url.split('#')
  const [base = '', ...query] = rest.split('?')
  const fragment = hash.length === 0 ? '' : `#${hash.join('#')}`
  return { base, parts: query.join('?').split('&').filter(Boolean), fragment }
}

const valueOf = (part: string) => new URLSearchParams(part).values().next().value ?? ''
const isNamed = (part: string, name: UtmName) => new URLSearchParams(part).has(`utm_${name}`)

/** Reads a UTM parameter of a URL. Empty if the URL has none. */
export function readUtm(url: string, name: UtmName): string {
  const part = splitQuery(url).parts.find((queryPart) => isNamed(queryPart, name))
  return part === undefined ? '' : valueOf(part)
}

/** Sets a UTM parameter, or removes it if the value is empty. All other characters stay. */
export function writeUtm(url: string, name: UtmName, value: string): string {
  const { base, parts, fragment } = splitQuery(url)
  const written = value === '' ? [] : [`utm_${name}=${encodeURIComponent(value)}`]
  const index = parts.findIndex((part) => isNamed(part, name))
  const others = parts.filter((part) => !isNamed(part, name))
  const next = others.toSpliced(index === -1 ? others.length : index, 0, ...written)
  return base + (next.length === 0 ? '' : `?${next.join('&')}`) + fragment
}

type Remembered = Partial<Record<UtmName, string[]>>

/** Values of earlier links in this browser, the latest first. */
export function rememberedUtm(): Remembered {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Remembered
  } catch {
    return {}
  }
}

/** Remembers the UTM values of a new link for the next one, if the browser allows it. */
export function rememberUtm(url: string): void {
  const before = rememberedUtm()
  const next = UTM_NAMES.map((name) => {
    const values = new Set([readUtm(url, name), ...(before[name] ?? [])].filter(Boolean))
    return [name, [...values].slice(0, MAX_VALUES)]
  })
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(next)))
  } catch {
    // The values are then not offered again.
  }
}
