import { boundMarks } from '@latchkey/http/fold'
import { cleanName, truncateToGraphemes } from '../identity/display-name.ts'
import { isVisible } from '@latchkey/http/visible'
import { lookalikePattern, plain, unboxLetters } from '../users/lookalikes.ts'

/**
 * Reserved words: names of roles and of the product. The product name that an administrator set is
 * reserved as well (R16.5).
 */
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

/** The cleaned nickname of a guest, or the reason why it is refused (R14.6). */
export type Nickname = { readonly name: string } | { readonly refused: 'length' | 'reserved' }

export function parseNickname(input: string, productName: string): Nickname {
  const name = cleanName(input)
  const isTooLong = boundMarks(input) !== input || truncateToGraphemes(name) !== name
  if (isTooLong || !isVisible(name)) return { refused: 'length' }
  return isReserved(name, productName) ? { refused: 'reserved' } : { name }
}

function isReserved(name: string, productName: string): boolean {
  const text = plain(name)
  // A symbol can represent a letter or separate words.
  const readings = [...new Set([text, unboxLetters(text)])].flatMap((form) => [wordsOf(form), signsOf(form)])
  const product = wordsOf(plain(productName)).join('')
  const patterns = product === '' ? RESERVED : [...RESERVED, lookalikePattern(product)]
  return readings.some((words) => patterns.some((pattern) => pattern.test(` ${words.join(' ')} `)))
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

/** Words that may contain signs in place of letters, such as `$upport`. */
function signsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}@$|]+/u).filter((word) => word !== '')
}
