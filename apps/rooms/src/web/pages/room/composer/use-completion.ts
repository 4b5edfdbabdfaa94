import { isComposing } from '@latchkey/web/composing'
import { type KeyboardEvent, useState } from 'react'
import { applyChange } from './apply-change.ts'
import { type Token, tokenBefore } from './completion.ts'
import type { Candidate } from './use-candidates.ts'

interface Options {
  field: { current: HTMLTextAreaElement | null }
  text: string
  useCandidates: (token: Token | undefined) => readonly Candidate[]
  onChoose: (candidate: Candidate) => void
}

/** Completion of people, rooms and emoji while the user types them. */
export function useCompletion({ field, text, useCandidates, onChoose }: Options) {
  const [cursor, setCursor] = useState(0)
  const [active, setActive] = useState(0)
  /** Where the sign is whose completion the user has closed. */
  const [closedAt, setClosedAt] = useState<number>()
  const token = tokenBefore(text, Math.min(cursor, text.length))
  const isOpen = token !== undefined && token.from !== closedAt
  const candidates = useCandidates(isOpen ? token : undefined)
  const chosen = candidates[Math.min(active, candidates.length - 1)]
  const choose = (candidate: Candidate, after = ' ') => {
    if (!field.current || !token) return
    const written = candidate.written + after
    const end = token.from + written.length
    applyChange(field.current, { from: token.from, to: cursor, text: written, selection: [end, end] })
    onChoose(candidate)
    setActive(0)
  }
  /** Returns true if the key belongs to the completion. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!chosen || isComposing(event)) return false
    const exact = event.key === ':' ? candidates.find(({ isExact }) => isExact) : undefined
    if (exact) {
      event.preventDefault()
      choose(exact, '')
      return true
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const isChoice = (event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab'
    if (step === undefined && !isChoice && event.key !== 'Escape') return false
    event.preventDefault()
    event.stopPropagation()
    if (step !== undefined)
      setActive((candidates.indexOf(chosen) + step + candidates.length) % candidates.length)
    else if (isChoice) choose(chosen)
    else setClosedAt(token?.from)
    return true
  }
  const onCursor = (next: number) => {
    if (next === cursor) return
    setCursor(next)
    setActive(0)
    if (token?.from !== closedAt) setClosedAt(undefined)
  }
  return { candidates, chosen, choose, onKeyDown, onCursor }
}
