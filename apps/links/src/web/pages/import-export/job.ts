import { useSyncExternalStore } from 'react'
import { CallError } from '@latchkey/web/call'
import { type Input, type Result, call, request } from '../../call.ts'
import { MAX_INSPECTED_BYTES } from '../../../transfer/upload-limit.ts'
import { invalidate } from '../../queries.ts'
import { type ColumnFields, type InspectedFile, isMapped, mappingPairs } from './columns.ts'

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
  /** An array that a job only appends to; `count` is its length. */
  rows: Row[]
  count: number
  /** Processed part of the file, 0 to 1. Undefined during the upload. */
  fraction?: number
  report?: Report
  error?: unknown
}

type Query = Required<NonNullable<Input<'importLinks'>['query']>>
export type Format = Query['format']
export type ImportOptions = Pick<
  Query,
  'on_conflict' | 'same_url' | 'legacy' | 'bundles_from_tags' | 'domain'
>

export interface Draft {
  source: 'file' | 'paste'
  file?: File
  text: string
  format: Format
  /** True once the user has chosen the format, which is then not changed by recognition. */
  isFormatChosen: boolean
  /** Undefined until the server has recognised the content. */
  inspected?: InspectedFile | undefined
  fields: ColumnFields
  options: ImportOptions
}

interface ImportState {
  draft: Draft
  job?: Job
}

const EMPTY_DRAFT = { text: '', isFormatChosen: false, inspected: undefined, fields: [] } as const
/** An empty domain is the default one. */
const DEFAULT_OPTIONS: ImportOptions = {
  on_conflict: 'report',
  same_url: 'keep',
  legacy: 'auto',
  bundles_from_tags: false,
  domain: '',
}
/** While text is typed, it is inspected only after a pause. */
const TYPING_PAUSE_MS = 300

// Outside the page, because an import continues while the user is on another page.
let state: ImportState = {
  draft: { ...EMPTY_DRAFT, source: 'file', format: 'csv', options: DEFAULT_OPTIONS },
}
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

export function selectSource(source: Draft['source']): void {
  changeDraft({ source })
  startInspection(0)
}

export function selectFile(file: File): void {
  changeDraft({ file, isFormatChosen: false })
  startInspection(0)
}

export function pasteText(text: string): void {
  changeDraft({ text })
  startInspection(TYPING_PAUSE_MS)
}

let inspection: { end: Promise<void>; controller: AbortController } | undefined

/** Lets the server recognise the format and the columns of the content. */
function startInspection(afterMs: number): void {
  inspection?.controller.abort()
  const controller = new AbortController()
  inspection = { end: inspectContent(afterMs, controller.signal), controller }
}

async function inspectContent(afterMs: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  const content = draftContent(state.draft)
  if (signal.aborted) return
  if (!content) return changeDraft({ inspected: undefined, fields: [] })
  const upload = content.slice(0, MAX_INSPECTED_BYTES)
  // If it fails, the preview states the reason.
  const inspected = await call('inspectImport', {}, { upload, signal }).catch(() => undefined)
  if (!signal.aborted) applyInspection(inspected)
}

function namesOf(file: InspectedFile | undefined): string {
  return JSON.stringify(file?.columns.map(({ name }) => name))
}

function applyInspection(inspected: InspectedFile | undefined): void {
  const { draft } = state
  const isSame = inspected !== undefined && namesOf(inspected) === namesOf(draft.inspected)
  changeDraft({
    inspected,
    ...(inspected && !draft.isFormatChosen && { format: inspected.format }),
    // What the user has chosen stays while the columns do.
    ...(!isSame && { fields: inspected?.columns.map(({ field }) => field) ?? [] }),
  })
}

/** Whether the draft is a table whose columns can be mapped. */
export function isTable({ format, inspected }: Draft): boolean {
  return format === 'csv' && inspected !== undefined && inspected.columns.length > 0
}

/** Whether the draft can be sent, as far as its kind and its columns are concerned. */
export function isReady(draft: Draft): boolean {
  return !draft.inspected?.problem && (!isTable(draft) || isMapped(draft.fields))
}

/** Content to import. Undefined if the draft is empty. */
export function draftContent({ source, file, text }: Draft): Blob | undefined {
  if (source === 'file') return file
  return text.trim() === '' ? undefined : new Blob([text])
}

/** Closes the job. Shows the draft again, or an empty draft without `keepDraft`. */
export function closeJob(keepDraft: boolean): void {
  const { source, format, options } = state.draft
  setState({ draft: keepDraft ? state.draft : { ...EMPTY_DRAFT, source, format, options } })
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
    const { signal } = abort
    await inspection?.end
    signal.throwIfAborted()
    const { format, options, inspected, fields } = state.draft
    const map = isTable(state.draft) && inspected ? { map: mappingPairs(inspected, fields) } : {}
    const { domain, ...policies } = options
    const query = { format, ...policies, ...map, ...(domain && { domain }), dry_run: isPreview }
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
    if (!isPreview) await invalidate('links', 'bundles', 'totals')
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
