import { UnstyledButton } from '@mantine/core'
import { type ReactNode, memo, useEffect, useMemo, useState } from 'react'
import { useText } from '../texts/text.ts'
import { CodeBlock } from './code-block.tsx'
import { directionOf } from './direction.ts'
import { firstLines } from './fold.ts'
import type { Inline } from './inline.ts'
import { type Block, parseMessage } from './parse.ts'

interface Props {
  content: string
  /** Names of the people whom the text mentions, by their ids. */
  names: ReadonlyMap<string, string>
  /** The group that the message mentions, if its author was permitted to. */
  group: 'here' | 'room' | null
  /** The reader. Mentions of them stand out. */
  selfId: string
  /** False for authors whose addresses are plain text (R22). */
  hasLinks: boolean
  /** `tabIndex` of the links: a list of messages is one tab stop, not one per link. */
  tabIndex: 0 | -1
}

interface MessageTextProps extends Props {
  /** True where a long message must be read as a whole. */
  isWhole?: boolean
  /** Called before all lines of a long message are shown, or only the first again. */
  onFold?: () => void
}

/** The Markdown of a message as elements (R29.3). No part of it is ever parsed as HTML. */
export const MessageText = memo(function MessageText({ isWhole, onFold, ...props }: MessageTextProps) {
  const { content, ...context } = props
  const { t } = useText()
  const blocks = useMemo(() => parseMessage(content), [content])
  const first = useMemo(() => firstLines(blocks), [blocks])
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isWhole) setOpen(true)
  }, [isWhole])
  if (!first) return drawBlocks(blocks, context)
  return (
    <>
      {drawBlocks(isOpen ? blocks : first, context)}
      <UnstyledButton
        className="message-fold"
        aria-expanded={isOpen}
        tabIndex={context.tabIndex}
        onClick={() => {
          onFold?.()
          setOpen(!isOpen)
        }}
      >
        {t(isOpen ? 'room.showLess' : 'room.showAll')}
      </UnstyledButton>
    </>
  )
})

type Context = Omit<Props, 'content'>

// The parts of a message never move: their places identify them.

const drawBlocks = (blocks: readonly Block[], context: Context) =>
  blocks.map((block, index) => <BlockView key={index} block={block} context={context} />)

function BlockView({ block, context }: { block: Block; context: Context }) {
  switch (block.type) {
    case 'paragraph':
      return <p dir="auto">{drawInlines(block.children, context)}</p>
    case 'quote':
      return <blockquote dir={directionOf(block.children)}>{drawBlocks(block.children, context)}</blockquote>
    case 'code':
      return <CodeBlock language={block.language} text={block.text} />
    default: {
      const items = block.items.map((item, index) => (
        <li key={index} dir={directionOf(item)}>
          {drawBlocks(item, context)}
        </li>
      ))
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
    }
  }
}

const drawInlines = (inlines: readonly Inline[], context: Context): ReactNode[] =>
  inlines.map((inline, index) => <InlineView key={index} inline={inline} context={context} />)

function InlineView({ inline, context }: { inline: Inline; context: Context }) {
  switch (inline.type) {
    case 'text':
      return inline.text
    case 'code':
      return <code>{inline.text}</code>
    case 'break':
      return <br />
    case 'emphasis':
      return <em>{drawInlines(inline.children, context)}</em>
    case 'strong':
      return <strong>{drawInlines(inline.children, context)}</strong>
    case 'strike':
      return <del>{drawInlines(inline.children, context)}</del>
    case 'link':
      return <LinkView link={inline} context={context} />
    case 'mention':
      return <Mention isSelf={inline.userId === context.selfId} name={context.names.get(inline.userId)} />
    default:
      return context.group === null ? `@${inline.group}` : <Mention isSelf name={inline.group} />
  }
}

function LinkView({ link, context }: { link: Extract<Inline, { type: 'link' }>; context: Context }) {
  const { href, host, children } = link
  // An address reads from left to right, regardless of the text around it.
  const isAddress =
    children.length === 1 && children[0]?.type === 'text' && /^https?:/i.test(children[0].text)
  const text = <bdi {...(isAddress && { dir: 'ltr' })}>{drawInlines(children, context)}</bdi>
  if (!context.hasLinks)
    return isAddress ? (
      text
    ) : (
      <>
        {text} (<bdi dir="ltr">{href}</bdi>)
      </>
    )
  return (
    <>
      <a
        href={href}
        title={href}
        target="_blank"
        rel="noopener noreferrer nofollow ugc"
        tabIndex={context.tabIndex}
      >
        {text}
      </a>
      {host !== undefined && <bdi dir="ltr" className="real-host">{` (${host})`}</bdi>}
    </>
  )
}

function Mention({ isSelf, name }: { isSelf: boolean; name: string | undefined }) {
  const { t } = useText()
  return (
    <span className="mention" data-self={isSelf || undefined}>
      @<bdi>{name ?? t('room.unknownPerson')}</bdi>
    </span>
  )
}
