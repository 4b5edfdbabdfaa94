import { useSyncExternalStore } from 'react'
import { CallError } from '@latchkey/web/call'
import { type Result, request } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { type Format, guessFormat } from './format.ts'

type FullReport = Result<'importLinks'>
export type Row = FullReport['rows'][number]
export type Report = Omit<FullReport, 'rows' | 'rows_omitted'>

/** A line of the response. */
interface Line {
  row?: Row
  progress?: { rows: number; bytes: number; of_bytes: number }
  report?: Report
  error?: string
  code?: string
}

export interface Job {
  isPreview: boolean
  state: 'working' | 'done' | 'stopped' | 'failed'
  /** The same array during a job: rows are appended, and `count` is its length. */
  rows: Row[]
  count: number
  /** Processed part of the file, 0 to 1. Undefined during the upload. */
  fraction?: number
  report?: Report
  error?: unknown
}

export interface Draft {
  source: 'file' | 'paste'
  file?: File
  text: string
  format: Format
}

interface ImportState {
  draft: Draft
  job?: Job
}

const HEAD_BYTES = 4096

// Outside the page, because an import continues while the user is on another page.
let state: ImportState = { draft: { source: 'file', text: '', format: 'csv' } }
let abort: AbortController | undefined
const listeners = new Set<() => void>()

function setState(next: ImportState): void {
  state = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** True while the page that shows the job is open. */
export function isPageMounted(): boolean {
  return listeners.size > 0
}

export function useImportState(): ImportState {
  return useSyncExternalStore(subscribe, () => state)
}

export function changeDraft(change: Partial<Draft>): void {
  setState({ ...state, draft: { ...state.draft, ...change } })
}

export async function selectFile(file: File): Promise<void> {
  changeDraft({ file })
  const format = guessFormat(await file.slice(0, HEAD_BYTES).text())
  if (state.draft.file === file) changeDraft({ format })
}

export function pasteText(text: string): void {
  const isNew = state.draft.text === ''
  changeDraft({ text, ...(isNew && { format: guessFormat(text) }) })
}

/** Content to import. Undefined if the draft is empty. */
export function draftContent({ source, file, text }: Draft): Blob | undefined {
  if (source === 'file') return file
  return text.trim() === '' ? undefined : new Blob([text])
}

/** Closes the job. Shows the draft again, or an empty draft without `keepDraft`. */
export function closeJob(keepDraft: boolean): void {
  const { source, format } = state.draft
  setState({ draft: keepDraft ? state.draft : { source, format, text: '' } })
}

/** Stops the job. Imported rows stay stored. After a preview, the draft is shown again. */
export function stopJob(): void {
  abort?.abort()
}

const interruptedError = () =>
  new CallError(0, 'the connection was lost during the import', { code: 'import_interrupted' })

const warn = (event: Event) => event.preventDefault()

/**
 * Previews or imports the draft. `useImportState().job` has the progress. Resolves with the ended
 * job, or undefined if there is none.
 */
export async function startJob(isPreview: boolean): Promise<Job | undefined> {
  const upload = draftContent(state.draft)
  if (!upload) return undefined
  abort = new AbortController()
  let job: Job = { isPreview, state: 'working', rows: [], count: 0 }
  const update = (change: Partial<Job>) => {
    job = { ...job, ...change }
    setState({ ...state, job })
  }
  update({})
  if (!isPreview) addEventListener('beforeunload', warn)
  try {
    const query = { format: state.draft.format, dry_run: isPreview }
    const { signal } = abort
    const response = await request(
      'importLinks',
      { query },
      { upload, accept: 'application/x-ndjson', signal, answerWithinMs: null },
    )
    for await (const lines of linesOf(response)) update(applyLines(job, lines))
    if (job.state === 'working') update({ state: 'failed', error: interruptedError() })
  } catch (error) {
    if (abort.signal.aborted && isPreview) closeJob(true)
    else if (abort.signal.aborted) update({ state: 'stopped' })
    else update({ state: 'failed', error: job.count > 0 ? interruptedError() : error })
  } finally {
    removeEventListener('beforeunload', warn)
    if (!isPreview) await invalidate('links', 'totals')
  }
  return state.job
}

/** Returns the changes of the job by `lines`. */
function applyLines(job: Job, lines: readonly Line[]): Partial<Job> {
  const change: Partial<Job> = {}
  for (const { row, progress, report, error, code } of lines) {
    if (row) job.rows.push(row)
    if (progress) change.fraction = progress.bytes / Math.max(1, progress.of_bytes)
    if (report) Object.assign(change, { report, state: 'done' })
    if (error !== undefined)
      Object.assign(change, {
        state: 'failed',
        error: new CallError(500, error, code === undefined ? {} : { code }),
      })
  }
  return { ...change, count: job.rows.length }
}

/** Parses a stream of JSON lines. Yields the lines of each chunk together. */
async function* linesOf(response: Response): AsyncGenerator<Line[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: '' }
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    yield lines.map((piece) => JSON.parse(piece) as Line)
  }
}
