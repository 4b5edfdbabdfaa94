import type { SyntaxNode } from '@lezer/common'
import { type InlineContext, type MarkdownConfig, Strikethrough, parser } from '@lezer/markdown'
import { addressLength, safeAddress, withoutBrackets } from './addresses.ts'
import { type Inline, linkTo, readLines, readText } from './inline.ts'

/** Part of a message on lines of its own. */
export type Block =
  | { type: 'paragraph'; children: readonly Inline[] }
  | { type: 'quote'; children: readonly Block[] }
  | { type: 'list'; start: number | undefined; items: readonly (readonly Block[])[] }
  | { type: 'code'; language: string; text: string }

/** What bounds the work of parsing. Messages beyond it are shown as they were written. */
export const LIMITS = {
  characters: 4_000,
  brackets: 60,
  depth: 8,
  /** Marks in a paragraph. Further ones are shown as they were written. */
  marks: 200,
} as const

/** Lines with more quotes and lists in each other than `LIMITS.depth`. */
const TOO_DEEP = new RegExp(
  String.raw`^[ \t]*(?:(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])[ \t]*){${LIMITS.depth + 1}}`,
  'm',
)

/** Character codes of `h`, `H` and `<`, with which an address may begin. */
const ADDRESS_STARTS: readonly number[] = [104, 72, 60]

/** Addresses in text, of which no character is markup. */
const addresses: MarkdownConfig = {
  defineNodes: ['Address'],
  parseInline: [
    {
      name: 'Address',
      before: 'Emphasis',
      parse(context, next, from) {
        // The text of a link ends at its bracket, even within an address.
        if (!ADDRESS_STARTS.includes(next) || context.hasOpenLink) return -1
        if (!/^<?https?:/i.test(context.slice(from, from + 7))) return -1
        const to = from + addressLength(context.slice(from, context.end))
        if (to === from) return -1
        // An element that is no link is text, also the addresses within it.
        if (safeAddress(withoutBrackets(context.slice(from, to))) === undefined) return to
        return context.addElement(context.elt('Address', from, to))
      },
    },
  ],
}

/** Character codes of the marks of emphasis: `*`, `_` and `~`. */
const MARKS: readonly number[] = [42, 95, 126]
/** Number of the marks in a paragraph so far. */
const markCounts = new WeakMap<InlineContext, number>()

/** Each mark is compared with those before it. In a paragraph with too many, further ones are text. */
const boundedMarks: MarkdownConfig = {
  parseInline: [
    {
      name: 'FurtherMark',
      before: 'Emphasis',
      parse(context, next, from) {
        if (!MARKS.includes(next)) return -1
        const count = (markCounts.get(context) ?? 0) + 1
        markCounts.set(context, count)
        return count > LIMITS.marks ? from + 1 : -1
      },
    },
  ],
}

/** Neither HTML, images, headings, rules nor addresses that are defined elsewhere in the text. */
const markdown = parser.configure([
  Strikethrough,
  addresses,
  boundedMarks,
  {
    remove: [
      'HTMLBlock',
      'HTMLTag',
      'Image',
      'ATXHeading',
      'SetextHeading',
      'LinkReference',
      'HorizontalRule',
      'IndentedCode',
      'Entity',
    ],
  },
])

/** Reads the Markdown of a message (R29.3). Every text is valid. */
export function parseMessage(content: string): readonly Block[] {
  if (isTooMuch(content)) return asWritten(content)
  const { topNode } = markdown.parse(content)
  const blocks = readBlocks(topNode, content, 0)
  return blocks.some(hasContent) ? blocks : asWritten(content)
}

function isTooMuch(content: string): boolean {
  return (
    content.length > LIMITS.characters ||
    content.split('[', LIMITS.brackets + 2).length > LIMITS.brackets + 1 ||
    TOO_DEEP.test(content)
  )
}

const asWritten = (content: string): readonly Block[] => [{ type: 'paragraph', children: readText(content) }]

/** False for markup without anything in it, such as a message of a single dash. */
function hasContent(block: Block): boolean {
  switch (block.type) {
    case 'paragraph':
      return block.children.length > 0
    case 'quote':
      return block.children.some(hasContent)
    case 'list':
      return block.items.some((item) => item.some(hasContent))
    default:
      return block.text.trim() !== ''
  }
}

function readBlocks(parent: SyntaxNode, content: string, depth: number): Block[] {
  return childrenOf(parent).flatMap((node) => readBlock(node, content, depth) ?? [])
}

const CONTAINERS: ReadonlySet<string> = new Set(['Blockquote', 'BulletList', 'OrderedList'])

function readBlock(node: SyntaxNode, content: string, depth: number): Block | undefined {
  if (depth >= LIMITS.depth && CONTAINERS.has(node.name))
    return { type: 'paragraph', children: readText(content.slice(node.from, node.to)) }
  switch (node.name) {
    case 'Paragraph':
      return {
        type: 'paragraph',
        children: readInlines(spanOf(node), { content, isInBlock: depth > 0, isInLink: false }, 0),
      }
    case 'Blockquote':
      return { type: 'quote', children: readBlocks(node, content, depth + 1) }
    case 'BulletList':
    case 'OrderedList':
      return {
        type: 'list',
        start: node.name === 'OrderedList' ? startOf(node, content) : undefined,
        items: node.getChildren('ListItem').map((item) => readBlocks(item, content, depth + 1)),
      }
    case 'FencedCode':
      return {
        type: 'code',
        language: textOf(node.getChild('CodeInfo'), content).split(/\s/, 1)[0] ?? '',
        text: node
          .getChildren('CodeText')
          .map((part) => textOf(part, content))
          .join(''),
      }
    default:
      return undefined
  }
}

/** Number of the first item, which may be any. */
const startOf = (list: SyntaxNode, content: string) => Number.parseInt(content.slice(list.from, list.to), 10)

interface Source {
  content: string
  /** True in quotes and lists, where lines are indented by their markup. */
  isInBlock: boolean
  /** True in the text of a link, which contains neither links nor mentions. */
  isInLink: boolean
}

/** Part of the content, with the nodes in it. */
interface Span {
  from: number
  to: number
  nodes: readonly SyntaxNode[]
}

const spanOf = (node: SyntaxNode): Span => ({ from: node.from, to: node.to, nodes: childrenOf(node) })

/** Reads the nodes of a span and the text between them. */
function readInlines({ from, to, nodes }: Span, source: Source, depth: number): Inline[] {
  const inlines: Inline[] = []
  let at = from
  for (const node of nodes) {
    inlines.push(...readPlain(at, node.from, source), ...readInline(node, source, depth))
    at = node.to
    // A space after the mark of a quote belongs to the mark.
    if (node.name === 'QuoteMark' && source.content[at] === ' ') at++
  }
  return [...inlines, ...readPlain(at, to, source)]
}

function readPlain(from: number, to: number, { content, isInBlock, isInLink }: Source): Inline[] {
  const text = content.slice(from, to)
  const unindented = isInBlock ? text.replace(/\n[ \t]+/g, '\n') : text
  return isInLink ? readLines(unindented) : readText(unindented)
}

const WRAPPERS: Readonly<Record<string, 'emphasis' | 'strong' | 'strike'>> = {
  Emphasis: 'emphasis',
  StrongEmphasis: 'strong',
  Strikethrough: 'strike',
}

function readInline(node: SyntaxNode, source: Source, depth: number): readonly Inline[] {
  const { name, from, to } = node
  if (depth >= LIMITS.depth) return readPlain(from, to, source)
  const type = WRAPPERS[name]
  if (type) return [{ type, children: readInlines(spanOf(node), source, depth + 1) }]
  switch (name) {
    case 'InlineCode':
      return [{ type: 'code', text: inlineCode(node, source.content) }]
    case 'Link':
      return readLink(node, source, depth)
    case 'Address':
      return readText(withoutBrackets(textOf(node, source.content)))
    case 'Escape':
      return [{ type: 'text', text: source.content.slice(from + 1, to) }]
    case 'HardBreak':
      return [{ type: 'break' }]
    default:
      return []
  }
}

function inlineCode({ firstChild, lastChild }: SyntaxNode, content: string): string {
  const text = content.slice(firstChild?.to, lastChild?.from).replaceAll('\n', ' ')
  // A space beside each mark allows code that begins or ends with such a mark.
  const isSpaced = text.startsWith(' ') && text.endsWith(' ') && text.trim() !== ''
  return isSpaced ? text.slice(1, -1) : text
}

/** A link with a text of its own. Without a safe address, its markup is text. */
function readLink(node: SyntaxNode, source: Source, depth: number): readonly Inline[] {
  const { content } = source
  const [open, close] = node.getChildren('LinkMark')
  const url = withoutBrackets(textOf(node.getChild('URL'), content))
  const href = safeAddress(url.replace(/\\([!-/:-@[-`{-~])/g, '$1'))
  if (href === undefined || !open || !close || source.isInLink) return readPlain(node.from, node.to, source)
  const label = { from: open.to, to: close.from }
  const nodes = childrenOf(node).filter(({ from, to }) => from >= label.from && to <= label.to)
  return [linkTo(href, readInlines({ ...label, nodes }, { ...source, isInLink: true }, depth + 1))]
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child)
  return children
}

const textOf = (node: SyntaxNode | null, content: string) => (node ? content.slice(node.from, node.to) : '')
