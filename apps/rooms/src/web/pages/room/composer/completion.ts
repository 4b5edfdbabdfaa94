import { foldText } from '@latchkey/http/fold'

/** Text before the cursor that can be completed. */
export interface Token {
  kind: '@' | '#' | ':'
  /** What was written after the sign. */
  query: string
  /** Where the sign is. */
  from: number
}

/** A sign at the beginning of a word, and what follows it. Names may have spaces. */
const TOKEN = /(?:^|[\s([{])([@#])([^\s@#:][^@#:\n]{0,30})?$|(?:^|[\s([{])(:)([\p{L}\p{M}\p{N}_+-]{2,30})$/u

/** Finds what can be completed before the cursor. */
export function tokenBefore(text: string, cursor: number): Token | undefined {
  const before = text.slice(Math.max(0, cursor - 40), cursor)
  const match = TOKEN.exec(before)
  if (!match || isInCode(text.slice(0, cursor))) return undefined
  const kind = (match[1] ?? match[3]) as Token['kind']
  const query = match[2] ?? match[4] ?? ''
  return { kind, query, from: cursor - query.length - 1 }
}

/** True if the cursor is in a block of code, or in code within its line. */
export function isInCode(before: string): boolean {
  if (isInCodeBlock(before)) return true
  const line = before.slice(before.lastIndexOf('\n') + 1)
  return (line.match(/`/g) ?? []).length % 2 === 1
}

/** True if a block of code begins before the cursor and has not ended. */
export const isInCodeBlock = (before: string) => (before.match(/^```/gm) ?? []).length % 2 === 1

/** Candidates whose words begin with the query, those that begin with it first. */
export function rankByName<Candidate extends { name: string }>(
  candidates: readonly Candidate[],
  query: string,
  limit: number,
): Candidate[] {
  const needle = foldText(query)
  const rankOf = ({ name }: Candidate) => {
    const text = foldText(name)
    return text.startsWith(needle) ? 0 : text.includes(` ${needle}`) ? 1 : 2
  }
  return candidates
    .map((candidate) => ({ candidate, rank: rankOf(candidate) }))
    .filter(({ rank }) => rank < 2)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}
