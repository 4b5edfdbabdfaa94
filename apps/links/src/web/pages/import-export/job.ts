import { useSyncExternalStore } from 'react'
import { CallError } from '@latchkey/web/call'
import { type Result, request } from '../../call.ts'
import { changed } from '../../queries.ts'
import { type Format, guessFormat } from './format.ts'

type WholeReport = Result<'importLinks'>
export type Row = WholeReport['rows'][number]
export type Report = Omit<WholeReport, 'rows' | 'rows_omitted'>

/** What the server says line by line. */
interface Line {
  row?: Row
  progress?: { rows: number; bytes: number; of_bytes: number }
  report?: Report
  error?: string
}

export interface Job {
  isPreview: boolean
  state: 'working' | 'done' | 'stopped' | 'failed'
  /** Grows; `count` tells by how much. */
  rows: Row[]
  count: number
  /** Part of the file that is done, 0 to 1; undefined while it is sent. */
  part?: number
  report?: Report
  error?: unknown
}

export interface Draft {
  source: 'file' | 'paste'
  file?: File
  text: string
  format: Format
}

interface Work {
  draft: Draft
  job?: Job
}

export const UPLOAD_LIMIT_BYTES = 32 * 1024 ** 2
const HEAD_BYTES = 4096

// Outside the page, so that an import goes on while somebody looks at another one.
let work: Work = { draft: { source: 'file', text: '', format: 'csv' } }
let abort: AbortController | undefined
const listeners = new Set<() => void>()

function set(next: Work): void {
  work = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether somebody looks at the page that shows the work. */
export function isShown(): boolean {
  return listeners.size > 0
}

export function useWork(): Work {
  return useSyncExternalStore(subscribe, () => work)
}

export function changeDraft(change: Partial<Draft>): void {
  set({ ...work, draft: { ...work.draft, ...change } })
}

export async function chooseFile(file: File): Promise<void> {
  changeDraft({ file })
  const format = guessFormat(await file.slice(0, HEAD_BYTES).text())
  if (work.draft.file === file) changeDraft({ format })
}

export function pasteText(text: string): void {
  const isNew = work.draft.text === ''
  changeDraft({ text, ...(isNew && { format: guessFormat(text) }) })
}

/** What would be imported; undefined while there is nothing. */
export function contentOf({ source, file, text }: Draft): Blob | undefined {
  if (source === 'file') return file
  return text.trim() === '' ? undefined : new Blob([text])
}

/** Back to the draft; after an import, to an empty one. */
export function leaveJob(keepDraft: boolean): void {
  const { source, format } = work.draft
  set({ draft: keepDraft ? work.draft : { source, format, text: '' } })
}

/** Rows that are stored stay stored; a preview leads back to the draft. */
export function stopJob(): void {
  abort?.abort()
}

const warn = (event: Event) => event.preventDefault()

/** Previews or imports the draft; how it goes is in `useWork().job`, and how it ended is the result. */
export async function startJob(isPreview: boolean): Promise<Job | undefined> {
  const upload = contentOf(work.draft)
  if (!upload) return undefined
  abort = new AbortController()
  let job: Job = { isPreview, state: 'working', rows: [], count: 0 }
  const tell = (change: Partial<Job>) => {
    job = { ...job, ...change }
    set({ ...work, job })
  }
  tell({})
  if (!isPreview) addEventListener('beforeunload', warn)
  try {
    const query = { format: work.draft.format, dry_run: isPreview }
    const { signal } = abort
    const response = await request(
      'importLinks',
      { query },
      { upload, accept: 'application/x-ndjson', signal, answerWithinMs: null },
    )
    for await (const lines of linesOf(response)) tell(takeIn(job, lines))
    if (job.state === 'working') tell({ state: 'failed', error: new CallError(0, 'the import was cut off') })
  } catch (error) {
    if (abort.signal.aborted && isPreview) leaveJob(true)
    else if (abort.signal.aborted) tell({ state: 'stopped' })
    else tell({ state: 'failed', error: job.count > 0 ? new CallError(0, 'the import was cut off') : error })
  } finally {
    removeEventListener('beforeunload', warn)
    if (!isPreview) await changed('links', 'totals')
  }
  return work.job
}

/** What `lines` change about the job. */
function takeIn(job: Job, lines: readonly Line[]): Partial<Job> {
  const change: Partial<Job> = {}
  for (const { row, progress, report, error } of lines) {
    if (row) job.rows.push(row)
    if (progress) change.part = progress.bytes / Math.max(1, progress.of_bytes)
    if (report) Object.assign(change, { report, state: 'done' })
    if (error !== undefined) Object.assign(change, { state: 'failed', error: new CallError(500, error) })
  }
  return { ...change, count: job.rows.length }
}

/** The lines of a stream of JSON objects, as many at once as came at once. */
async function* linesOf(response: Response): AsyncGenerator<Line[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: '' }
    if (done) return
    const pieces = (rest + value).split('\n')
    rest = pieces.pop() ?? ''
    yield pieces.map((piece) => JSON.parse(piece) as Line)
  }
}
