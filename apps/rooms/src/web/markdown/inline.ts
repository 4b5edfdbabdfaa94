import { isVisible } from '@latchkey/http/visible'
import { disguisedHost, splitAddresses } from './addresses.ts'

/** Part of a line of a message. */
export type Inline =
  | { type: 'text' | 'code'; text: string }
  | { type: 'break' }
  | { type: 'emphasis' | 'strong' | 'strike'; children: readonly Inline[] }
  | {
      type: 'link'
      href: string
      /** Host to show beside a text that could be mistaken for another address. */
      host: string | undefined
      children: readonly Inline[]
    }
  | { type: 'mention'; userId: string }
  /** Everyone who is present, or every member. */
  | { type: 'group'; group: 'here' | 'room' }

const MENTION = /<(?:@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|!(here|room))>/g

/** Reads text without markup: its mentions, addresses and lines. */
export function readText(text: string): Inline[] {
  const inlines: Inline[] = []
  let end = 0
  for (const { 0: token, 1: userId, 2: group, index } of text.matchAll(MENTION)) {
    inlines.push(...readAddresses(text.slice(end, index)))
    if (userId !== undefined) inlines.push({ type: 'mention', userId })
    else inlines.push({ type: 'group', group: group === 'here' ? 'here' : 'room' })
    end = index + token.length
  }
  return [...inlines, ...readAddresses(text.slice(end))]
}

const readAddresses = (text: string) =>
  splitAddresses(text).flatMap((part) =>
    part.href === undefined ? readLines(part.text) : linkTo(part.href, [{ type: 'text', text: part.text }]),
  )

export function readLines(text: string): Inline[] {
  return text
    .split('\n')
    .flatMap((line, index): Inline[] => [
      ...(index > 0 ? [{ type: 'break' } as const] : []),
      ...(line === '' ? [] : [{ type: 'text', text: line } as const]),
    ])
}

/** A link. A text without visible characters is replaced by the address. */
export function linkTo(href: string, children: readonly Inline[]): Inline {
  const text = inlineText(children)
  if (!isVisible(text)) return linkTo(href, [{ type: 'text', text: href }])
  return { type: 'link', href, host: disguisedHost(text, href), children }
}

/** Text of a line without its markup. Mentions have the names that `nameOf` returns. */
export function inlineText(inlines: readonly Inline[], nameOf: NameOf = () => undefined): string {
  return inlines.map((inline) => textOf(inline, nameOf)).join('')
}

/** Returns the name of a person, or of a group such as `here`. Undefined for unknown people. */
export type NameOf = (idOrGroup: string) => string | undefined

function textOf(inline: Inline, nameOf: NameOf): string {
  switch (inline.type) {
    case 'text':
    case 'code':
      return inline.text
    case 'break':
      return ' '
    case 'mention':
      return `@${nameOf(inline.userId) ?? '…'}`
    case 'group':
      return `@${nameOf(inline.group) ?? inline.group}`
    default:
      return inlineText(inline.children, nameOf)
  }
}
