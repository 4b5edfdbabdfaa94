import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './proof.ts'

const PAGE = join(import.meta.dir, '../docs/proofs.md')
const SHOWN_PROBLEMS = 3
const SHOWN_CHARACTERS = 160

export interface Result extends Outcome {
  kind: string
  name: string
  seed: string
  minutes: number
}

/** One line of what was tried and found. */
export function describeResult({ kind, name, seed, minutes, tried, problems }: Result): string {
  const counts = Object.entries(tried).map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
  const texts = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `\`${shorten(problem)}\``)
  const rest = problems.length > 0 ? `Found ${problems.length}: ${texts.join('; ')}.` : 'Nothing found.'
  return `${kind}, seed ${seed}, ${minutes} min, ${name}: ${counts.join(', ')}. ${rest}`
}

/** Without a stack, whose paths are those of a machine. */
function shorten(problem: string): string {
  const [beginning = ''] = problem.split(/"stack"|\n/)
  return beginning.replaceAll('`', "'").slice(0, SHOWN_CHARACTERS)
}

/** Adds the results to the page, newest last. */
export function appendResults(results: readonly Result[]): void {
  const date = new Date().toISOString().slice(0, 10)
  const lines = results.map((result) => `- ${date}, ${describeResult(result)}\n`)
  writeFileSync(PAGE, `${readFileSync(PAGE, 'utf8').trimEnd()}\n${lines.join('')}`)
  Bun.spawnSync(['oxfmt', PAGE])
}
