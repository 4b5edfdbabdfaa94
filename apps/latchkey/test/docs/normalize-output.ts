/**
 * Values that differ from run to run. In both the page and the output they are replaced by their
 * names before the comparison. A page can show natural values. No other differences are allowed.
 */
export const CHANGING: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['key', /\bsk_[0-9a-f]{48}\b/],
  ['key prefix', /\bsk_[0-9a-f]{4}\b/],
  ['secret of shared statistics', /(?<=\/_\/stats\/)[\w-]{32}/],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/],
  ['SHA-256', /\b[0-9a-f]{64}\b/],
  ['time', /\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?/],
  ['HTTP date', /\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d GMT\b/],
  ['day', /\b20\d\d-\d\d-\d\d\b/],
  ['Unix milliseconds', /\b1[6-9]\d{11}\b/],
  ['Unix seconds', /\b1[6-9]\d{8}\b/],
  ['auto slug', /(?<="slug":")[a-km-np-z2-9]{4}(?=","is_custom":0)/],
  ['duration', /\b\d+(\.\d+)? (ms|s)\b/],
  ['size', /\b\d+(\.\d+)? (bytes|KB|MB|GB|KiB|MiB|GiB)\b/],
  ['requests left', /(?<=RateLimit-(Remaining|Reset): )\d+/],
  ['cursor', /(?<=cursor=)[\w-]+/],
  ['age in seconds', /(?<="seconds_ago":)\d+/],
  ['process', /(?<="pid":)\d+/],
]

/** A character that no document contains. */
const MARK = '\u0000'

function normalize(text: string): string {
  const trimmed = text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
  return CHANGING.reduce(
    (level, [name, pattern]) => level.replaceAll(new RegExp(pattern, 'g'), `<${name}>`),
    trimmed,
  )
}

/** JSON without whitespace between tokens: pages may lay it out freely. */
function stripJsonWhitespace(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string: string | undefined) => string ?? '')
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** The text of the page as a pattern: `…` stands for any omitted output. */
function patternOf(expected: string): string {
  return expected
    .replaceAll('…', MARK)
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(MARK, String.raw`[\s\S]*?`)
}

/** Whether `printed` equals the output on the page. */
export function isShown(expected: string, printed: string): boolean {
  return (
    isWholly(normalize(expected), normalize(printed)) ||
    isWholly(normalizeJson(expected), normalizeJson(printed), printed)
  )
}

function normalizeJson(text: string): string {
  return normalize(stripJsonWhitespace(text))
}

function isWholly(expected: string, printed: string, json = '{}'): boolean {
  return isJson(json) && new RegExp(`^${patternOf(expected)}$`).test(printed)
}

/** Whether `printed` contains the output on the page, in whole lines. */
export function isWithin(expected: string, printed: string): boolean {
  return new RegExp(`^${patternOf(normalize(expected))}$`, 'm').test(normalize(printed))
}
