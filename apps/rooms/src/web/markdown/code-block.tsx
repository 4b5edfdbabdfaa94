import { type ReactNode, useEffect, useState } from 'react'
import type { Highlighter, Token } from './highlight.ts'

/** Longer code stays without colours. */
const MAX_HIGHLIGHTED = 5_000

/** Loaded when the first code with a language is shown. */
let loading: Promise<Highlighter> | undefined

/** Code on lines of its own, with colours once the highlighter is loaded. */
export function CodeBlock({ language, text }: { language: string; text: string }) {
  const [tokens, setTokens] = useState<readonly Token[]>([text])
  useEffect(() => {
    if (language === '' || text.length > MAX_HIGHLIGHTED) return undefined
    let isCurrent = true
    loading ??= import('./highlight.ts').then(({ highlight }) => highlight)
    // Without the highlighter, the code is as readable.
    loading
      .then((highlight) => isCurrent && setTokens(highlight(language, text)))
      .catch(() => (loading = undefined))
    return () => void (isCurrent = false)
  }, [language, text])
  return (
    <pre className="code" dir="ltr">
      <code>{drawTokens(tokens)}</code>
    </pre>
  )
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
