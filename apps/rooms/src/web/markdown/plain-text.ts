import { type NameOf, inlineText } from './inline.ts'
import { type Block, parseMessage } from './parse.ts'

/** A message in one line without its markup, such as for a screen reader or an excerpt. */
export function plainText(content: string, nameOf?: NameOf): string {
  return blockText(parseMessage(content), nameOf)
}

/** Text of blocks in one line. */
export function blockText(blocks: readonly Block[], nameOf?: NameOf): string {
  return blocks
    .map((block) => {
      switch (block.type) {
        case 'paragraph':
          return inlineText(block.children, nameOf)
        case 'quote':
          return blockText(block.children, nameOf)
        case 'list':
          return block.items.map((item) => blockText(item, nameOf)).join(', ')
        default:
          return block.text.trim()
      }
    })
    .join(' ')
}
