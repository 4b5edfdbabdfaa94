interface Part {
  part: string
  isHit: boolean
  /** Index in the text. */
  start: number
}

const escapePattern = (word: string) => word.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/** Splits a text at the words of a search, in any case. The longest word wins where two begin. */
export function splitMarks(text: string, search: string): Part[] {
  const words = search
    .split(/\s+/)
    .filter(Boolean)
    .toSorted((a, b) => b.length - a.length)
  if (words.length === 0) return [{ part: text, isHit: false, start: 0 }]
  const parts = text.split(new RegExp(`(${words.map(escapePattern).join('|')})`, 'iu'))
  let start = 0
  return parts.flatMap((part, index) => {
    const at = start
    start += part.length
    return part === '' ? [] : [{ part, isHit: index % 2 === 1, start: at }]
  })
}
