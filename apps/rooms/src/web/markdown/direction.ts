import { type Block } from './parse.ts'
import { blockText } from './plain-text.ts'

const LETTER = /\p{L}/u
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Direction of the first letter in blocks, as `dir="auto"` would find it, which does not look into
 * paragraphs that find their own.
 */
export function directionOf(blocks: readonly Block[]): 'ltr' | 'rtl' | undefined {
  const letter = LETTER.exec(blockText(blocks))?.[0]
  if (letter === undefined) return undefined
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr'
}
