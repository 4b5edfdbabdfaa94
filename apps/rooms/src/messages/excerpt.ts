/** Characters as readers count them. */
const EXCERPT_LENGTH = 120

/**
 * Beginning of a message as one line, to quote it in a reply. No dependencies: the web client
 * updates the quotations of an edited message with it.
 */
export function excerptOf(content: string): string {
  const line = content.replaceAll(/\s+/g, ' ').trim()
  let count = 0
  for (const { index } of new Intl.Segmenter().segment(line))
    if (count++ === EXCERPT_LENGTH) return `${line.slice(0, index).trimEnd()}…`
  return line
}
