import type { Message } from '../../../live/frames.ts'
import { isInCode } from './completion.ts'

/**
 * What people write for a person, a group or a room, such as `@Bob Berg`, and what is stored for it,
 * such as `<@id>`.
 */
export type References = Readonly<Record<string, string>>

export const personReference = (userId: string, nickname: string): References => ({
  [`@${nickname}`]: `<@${userId}>`,
})

export const GROUP_REFERENCES: References = { '@here': '<!here>', '@room': '<!room>' }

/** A room is stored as a link, which leads there in every client. */
export function roomReference(roomId: string, name: string): References {
  const label = name.replace(/[[\]\\`*_~<]/g, String.raw`\$&`)
  return { [`#${name}`]: `[#${label}](${location.origin}/rooms/${roomId})` }
}

const LETTER = /[\p{L}\p{N}_]/u

/** The people whose names a text has in full, whether they were chosen or not. */
export function referencesIn(
  text: string,
  people: readonly { userId: string; nickname: string }[],
): References {
  if (!text.includes('@')) return {}
  const named = people.filter(({ nickname }) => text.includes(`@${nickname}`))
  return Object.assign({}, ...named.map(({ userId, nickname }) => personReference(userId, nickname)))
}

/** The text as it is stored: references in place of what was written, but not in code. */
export function toStored(text: string, references: References): string {
  // The longest first: a name may begin with another.
  const written = Object.keys(references).toSorted((a, b) => b.length - a.length)
  let stored = ''
  for (let at = 0; at < text.length;) {
    const isStart = !LETTER.test(text[at - 1] ?? '')
    const name = isStart && written.find((candidate) => text.startsWith(candidate, at))
    const isWhole = name && !LETTER.test(text[at + name.length] ?? '') && !isInCode(text.slice(0, at))
    stored += isWhole ? references[name] : text[at]
    at += isWhole ? name.length : 1
  }
  return stored
}

const TOKEN = /<@([0-9a-f-]{36})>|<!(here|room)>/g

/** The text of a stored message as people write it, with its references. */
export function toWritten({ content, mentions }: Pick<Message, 'content' | 'mentions'>): {
  text: string
  references: References
} {
  const names = new Map(mentions.map(({ userId, nickname }) => [userId, nickname]))
  const references: Record<string, string> = {}
  const text = (content ?? '').replaceAll(TOKEN, (token, userId: string | undefined, group?: string) => {
    const name = userId === undefined ? group : names.get(userId)
    if (name === undefined) return token
    references[`@${name}`] = token
    return `@${name}`
  })
  return { text, references }
}
