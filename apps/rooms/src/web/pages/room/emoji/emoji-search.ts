import { foldText } from '@latchkey/http/fold'
import { gemoji } from 'gemoji'

// Loaded when the first emoji is searched or picked: the list is 25 KB, compressed.

export interface Emoji {
  emoji: string
  /** Written between colons. */
  name: string
  category: string
}

const all: readonly Emoji[] = gemoji.map(({ emoji, names, category }) => ({
  emoji,
  name: names[0] ?? '',
  category,
}))

/** Names and other words for each emoji, in one text. */
const words = gemoji.map(({ names, tags, description }) =>
  [...names, ...tags, ...foldText(description).split(' ')].map((word) => ` ${word}`).join(''),
)

export const CATEGORIES: readonly string[] = [...new Set(all.map(({ category }) => category))]

export const emojiOf = (category: string): Emoji[] => all.filter((emoji) => emoji.category === category)

/** Emoji with a name or another word that begins with the query, those with such a name first. */
export function searchEmoji(query: string, limit: number): Emoji[] {
  const folded = foldText(query)
  const needle = ` ${folded}`
  const matching = all.filter((_, index) => words[index]?.includes(needle))
  const rank = ({ name }: Emoji) => (name === folded ? 0 : name.startsWith(folded) ? 1 : 2)
  return matching.toSorted((a, b) => rank(a) - rank(b)).slice(0, limit)
}

/** The emoji with exactly this name. */
export function emojiNamed(name: string): string | undefined {
  return gemoji.find(({ names }) => names.includes(name))?.emoji
}
