import { splitMarks } from './marks.ts'

/** A text with the words of a search marked. */
export function Marked({ text, search }: { text: string; search: string }) {
  return splitMarks(text, search).map(({ part, isHit, start }) =>
    isHit ? <mark key={start}>{part}</mark> : <span key={start}>{part}</span>,
  )
}
