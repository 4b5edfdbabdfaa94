import { cleanName, cutToGraphemes } from '../login/display-name.ts'
import { isVisible } from '../visible.ts'
import { looksLike, plain, withoutBoxes } from '../users/lookalikes.ts'

/** The product as people know it; a name of one's own (R16.5) is reserved beside it. */
const RESERVED = ['administrator', 'admin', 'moderator', 'owner', 'system', 'support', 'latchkey']

/** What a guest may be called, or how the name cannot be one (R14.6). */
export type Nickname = { readonly name: string } | { readonly refused: 'length' | 'reserved' }

export function parseNickname(given: string, productName: string): Nickname {
  const name = cleanName(given)
  if (cutToGraphemes(name) !== name || !isVisible(name)) return { refused: 'length' }
  return isReserved(name, productName) ? { refused: 'reserved' } : { name }
}

function isReserved(name: string, productName: string): boolean {
  const product = wordsOf(plain(productName)).join('')
  const reserved = product === '' ? RESERVED : [...RESERVED, product]
  const text = plain(name)
  // A symbol can be a letter, or stand between words.
  const tellings = [...new Set([text, withoutBoxes(text)])].flatMap((each) => [wordsOf(each), signsOf(each)])
  return reserved.some((word) => tellings.some((words) => tells(words, word)))
}

/** Whether neighbouring words, or a name that is spelled out, read as the reserved one. */
function tells(words: readonly string[], reserved: string): boolean {
  // Two letters read as one at most, and each has two units at most: whatever is longer reads as something else.
  const longest = 4 * reserved.length
  return words.some((_, first) => {
    let run = ''
    for (let next = first; next < words.length && run.length <= longest; next++) {
      run += words[next]
      if (looksLike(run, reserved)) return true
    }
    return false
  })
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

/** With signs that stand for letters: `$upport`. */
function signsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}@$|]+/u).filter((word) => word !== '')
}
