// One `name=value` of RFC 7239 section 4. The value is a token or a quoted string. Blanks around
// `;` and `,` are common.
const PAIR = /\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))\s*/y

/** The parameters of one hop, with names in lower case. */
export type ForwardedElement = Partial<Record<'for' | 'by' | 'host' | 'proto', string>>

/**
 * Returns the elements of a `Forwarded` header (RFC 7239) in order: the nearest hop is the last.
 * Unknown parameters are left out. A malformed header has no elements, because an unbalanced quote
 * could move a value from one hop to another.
 *
 * @example parseForwarded('for="[2001:db8::1]:80";proto=https') // [{ for: '[2001:db8::1]:80', proto: 'https' }]
 */
export function parseForwarded(header: string): ForwardedElement[] {
  const elements: ForwardedElement[] = [{}]
  let at = 0
  while (at < header.length) {
    PAIR.lastIndex = at
    const [all, name, quoted, plain] = PAIR.exec(header) ?? []
    if (all === undefined || name === undefined) return []
    const key = name.toLowerCase()
    const element = elements.at(-1)
    if (element && isKnown(key)) {
      // RFC 7239 section 4: a parameter occurs once per element.
      if (key in element) return []
      element[key] = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? ''
    }
    at += all.length
    const separator = header[at]
    if (separator !== undefined && separator !== ',' && separator !== ';') return []
    if (separator === ',') elements.push({})
    at += 1
  }
  return elements
}

function isKnown(name: string): name is keyof ForwardedElement {
  return name === 'for' || name === 'by' || name === 'host' || name === 'proto'
}
