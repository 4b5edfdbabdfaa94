import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Token } from './highlight.ts'
import { colour } from './highlighter.ts'

/** Longer code stays without colours. */
const MAX_HIGHLIGHTED = 5_000

interface Props {
  language: string
  text: string
}

/** Code on lines of its own, with colours once it has been in view. */
export function CodeBlock({ language, text }: Props) {
  const block = useRef<HTMLPreElement>(null)
  const [coloured, setColoured] = useState<{ text: string; tokens: readonly Token[] }>()
  const isSeen = useSeen(block)
  useEffect(() => {
    if (!isSeen || language === '' || text.length > MAX_HIGHLIGHTED) return undefined
    let isCurrent = true
    void colour(language, text).then((tokens) => isCurrent && setColoured({ text, tokens }))
    return () => void (isCurrent = false)
  }, [isSeen, language, text])
  return (
    <pre ref={block} className="code" dir="ltr">
      <code>{drawTokens(coloured?.text === text ? coloured.tokens : [text])}</code>
    </pre>
  )
}

/** Whether the element is in view, or has been. */
function useSeen(element: { readonly current: Element | null }): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (isSeen || !element.current) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isSeen])
  return isSeen
}

const drawTokens = (tokens: readonly Token[]): ReactNode[] =>
  tokens.map((token, index) =>
    typeof token === 'string' ? (
      token
    ) : (
      <span key={index} className={token.kind}>
        {drawTokens(token.children)}
      </span>
    ),
  )
