/** More people cannot be mentioned in one message. Further mentions are text. */
const MAX_MENTIONS = 50

const PERSON = /<@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})>/g

/** Group that a message can mention: the people who are present, or all members. */
export type MentionedGroup = 'here' | 'room'

/** Ids of the people whom a text mentions, in its order, each once. */
export function mentionedIdsIn(content: string): string[] {
  const ids = Array.from(content.matchAll(PERSON), ([, id = '']) => id)
  return [...new Set(ids)].slice(0, MAX_MENTIONS)
}

/** The larger group that a text mentions; null if it mentions none. */
export function mentionedGroupIn(content: string): MentionedGroup | null {
  if (content.includes('<!room>')) return 'room'
  return content.includes('<!here>') ? 'here' : null
}

/** Text with the names of the people whom it mentions. Mentions of others stay as they are. */
export function withNames(content: string, nameOf: (userId: string) => string | undefined): string {
  return content.replaceAll(PERSON, (token, id: string) => {
    const name = nameOf(id)
    return name === undefined ? token : `@${name}`
  })
}
