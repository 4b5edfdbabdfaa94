import type { Token } from './highlight.ts'
import type { Code } from './highlight-worker.ts'

/** Addresses of the workers that the client is bundled with. */
declare const WORKERS: Readonly<Record<'highlight', string>>

/**
 * Milliseconds after which code stays without colours. Ordinary code takes some hundredths of them,
 * but there is code on which the expressions of a language take minutes.
 */
const BUDGET_MS = 500
/** Milliseconds in which the worker must have been loaded. */
const LOAD_MS = 30_000
/** Number of codes whose colours are kept, and of codes that wait. */
const MAX_ANSWERS = 200
const MAX_WAITING = 50

interface Job {
  code: Code
  resolve: (tokens: readonly Token[]) => void
}

let worker: Worker | undefined
/** The code that the worker has now. */
let current: Job | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const waiting: Job[] = []
const answers = new Map<string, Promise<readonly Token[]>>()

/**
 * Splits code into parts to colour, in a thread of its own: whatever the code, the page goes on.
 * Code in an unknown language, or that takes too long, is one part.
 */
export function colour(language: string, text: string): Promise<readonly Token[]> {
  const key = `${language}\n${text}`
  const before = answers.get(key)
  if (before) return before
  const colours = new Promise<readonly Token[]>((resolve) => {
    waiting.push({ code: [language, text], resolve })
    // Code that has long been out of view is not missed.
    if (waiting.length > MAX_WAITING) finish(waiting.shift())
    next()
  })
  answers.set(key, colours)
  for (const oldest of answers.keys()) {
    if (answers.size <= MAX_ANSWERS) break
    answers.delete(oldest)
  }
  return colours
}

/** Takes the code that was asked for last: it is in view. */
function next(): void {
  if (current) return
  current = waiting.pop()
  if (!current) return
  if (worker) limit(BUDGET_MS)
  worker ??= startWorker()
  worker.postMessage(current.code)
}

function startWorker(): Worker {
  const started = new Worker(WORKERS.highlight)
  limit(LOAD_MS)
  started.addEventListener('message', ({ data }: MessageEvent<readonly Token[] | null>) =>
    data ? end(data) : limit(BUDGET_MS),
  )
  started.addEventListener('error', () => {
    // Without the highlighter, the code is as readable. With the network, it may come back.
    answers.clear()
    giveUp()
  })
  return started
}

function limit(ms: number): void {
  clearTimeout(timer)
  timer = setTimeout(giveUp, ms)
}

/** Leaves the current code as it is. Only the end of the worker stops an expression. */
function giveUp(): void {
  worker?.terminate()
  worker = undefined
  end(undefined)
}

function end(tokens: readonly Token[] | undefined): void {
  clearTimeout(timer)
  finish(current, tokens)
  current = undefined
  next()
}

function finish(job: Job | undefined, tokens?: readonly Token[]): void {
  job?.resolve(tokens ?? [job.code[1]])
}
