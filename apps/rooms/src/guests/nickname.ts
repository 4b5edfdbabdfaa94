import { boundMarks } from '@latchkey/http/text'
import { cleanName, truncateToGraphemes } from '../login/display-name.ts'
import { isVisible } from '../visible.ts'
import { lookalikePattern, plain, unboxLetters } from '../users/lookalikes.ts'

/** The product as people know it; a name of one's own (R16.5) is reserved beside it. */
const RESERVED = [
  'administrator',
  'admin',
  'moderator',
  'mod',
  'owner',
  'staff',
  'team',
  'helpdesk',
  'security',
  'system',
  'support',
  'latchkey',
].map(lookalikePattern)

/** What a guest may be called, or how the name cannot be one (R14.6). */
export type Nickname = { readonly name: string } | { readonly refused: 'length' | 'reserved' }

export function parseNickname(given: string, productName: string): Nickname {
  const name = cleanName(given)
  const isTooLong = boundMarks(given) !== given || truncateToGraphemes(name) !== name
  if (isTooLong || !isVisible(name)) return { refused: 'length' }
  return isReserved(name, productName) ? { refused: 'reserved' } : { name }
}

function isReserved(name: string, productName: string): boolean {
  const text = plain(name)
  // A symbol can be a letter, or stand between words.
  const readings = [...new Set([text, unboxLetters(text)])].flatMap((each) => [wordsOf(each), signsOf(each)])
  const product = wordsOf(plain(productName)).join('')
  const patterns = product === '' ? RESERVED : [...RESERVED, lookalikePattern(product)]
  return readings.some((words) => patterns.some((pattern) => pattern.test(` ${words.join(' ')} `)))
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

/** With signs that stand for letters: `$upport`. */
function signsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}@$|]+/u).filter((word) => word !== '')
}
