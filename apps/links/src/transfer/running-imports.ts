import type { Database } from '@latchkey/database/database'
import { isStorageUnavailable } from '@latchkey/database/errors'
import { BROKEN_UPLOAD } from '@latchkey/http/body'
import { Failure } from '@latchkey/http/failure'
import type { Tables } from '../db/tables.ts'
import { failure, failures } from '../failures.ts'
import type { SlugSpace } from '../links/slugs/generator.ts'
import { ImportThread } from './import-thread.ts'
import type { ImportJob, ImportedBatch } from './import-worker.ts'
import type { Source } from './lines.ts'
import { type Upload, storeUpload } from './upload.ts'

/** Of all people: each import has a thread and memory of its own. */
const MAX_IMPORTS = 2
/** What a refused caller is told to wait, in seconds; nobody knows how long an import takes. */
const RETRY_AFTER = { 'Retry-After': '10' }

/** So that nobody keeps others from importing: a sender slower than 110 KB a second, a reader who reads nothing. */
const TIMEOUTS = { uploadMs: 300_000, readMs: 60_000 }

/** The imports of this node: one of a person and two in all at a time. */
export class RunningImports {
  readonly #database: Pick<Database<Tables>, 'write'>
  readonly #databaseUrl: string
  readonly #slugSpace: SlugSpace
  readonly #timeouts: typeof TIMEOUTS
  readonly #running = new Map<string, RunningImport>()
  readonly #shutdown = new AbortController()

  constructor(
    database: Pick<Database<Tables>, 'write'>,
    databaseUrl: string,
    slugSpace: SlugSpace,
    timeouts: Partial<typeof TIMEOUTS> = {},
  ) {
    this.#database = database
    this.#databaseUrl = databaseUrl
    this.#slugSpace = slugSpace
    this.#timeouts = { ...TIMEOUTS, ...timeouts }
  }

  /**
   * Throws `import_running` or `imports_full`; otherwise the import is to be closed. `hangUp` is the sender's. The owner's
   * import that was hung up on is waited for: stopped in the browser, a preview may be asked for again at once.
   */
  async start(owner: string, clientAbort: AbortSignal): Promise<RunningImport> {
    const previous = this.#running.get(owner)
    if (previous?.isEnding) await previous.close()
    if (this.#running.has(owner)) throw refusal('import_running')
    if (this.#running.size >= MAX_IMPORTS) throw refusal('imports_full')
    const running = new RunningImport({
      owner,
      clientAbort,
      shutdown: this.#shutdown.signal,
      databaseUrl: this.#databaseUrl,
      timeouts: this.#timeouts,
      release: () => this.#running.delete(owner),
      onSlugsStored: (slugs) => this.#recordStored(slugs),
    })
    this.#running.set(owner, running)
    return running
  }

  async #recordStored(slugs: readonly string[]): Promise<void> {
    for (const slug of slugs) this.#slugSpace.recordSlug(slug)
    // What another connection has stored shows on the very next redirect, as with every write of this node.
    await this.#database.write(async () => {})
  }

  /** Imports end with what they have stored. */
  drain(): void {
    this.#shutdown.abort()
  }
}

function refusal(code: 'import_running' | 'imports_full'): Failure {
  return new Failure(code, failures[code], RETRY_AFTER)
}

interface ImportDependencies {
  owner: string
  clientAbort: AbortSignal
  shutdown: AbortSignal
  databaseUrl: string
  timeouts: typeof TIMEOUTS
  release: () => void
  /** Called after each batch that was stored. */
  onSlugsStored: (slugs: readonly string[]) => Promise<void>
}

/** One import, from its first byte to its end. */
export class RunningImport {
  readonly #dependencies: ImportDependencies
  readonly #abort: AbortSignal
  #upload: Upload | undefined
  #thread: ImportThread | undefined
  #closed: Promise<void> | undefined

  constructor(dependencies: ImportDependencies) {
    this.#dependencies = dependencies
    this.#abort = AbortSignal.any([dependencies.clientAbort, dependencies.shutdown])
  }

  /** Its sender has hung up, or the service is stopping. */
  get isEnding(): boolean {
    return this.#abort.aborted
  }

  /** Bytes of the file. */
  get size(): number {
    return this.#upload?.bytes ?? 0
  }

  /** Takes the whole file. Throws what `pieces` throws, and `invalid_request` when they take too long. */
  async receive(chunks: Source): Promise<void> {
    const signal = AbortSignal.any([this.#abort, AbortSignal.timeout(this.#dependencies.timeouts.uploadMs)])
    this.#upload = await storeUpload(untilAborted(chunks, signal))
  }

  /** Reads and stores the file. Throws `import_stopped`, which says how much is stored. */
  async *batches(job: Pick<ImportJob, 'format' | 'dryRun' | 'now'>): AsyncGenerator<ImportedBatch> {
    const { owner, databaseUrl, timeouts, onSlugsStored } = this.#dependencies
    const thread = new ImportThread({ ...job, owner, databaseUrl, fd: this.#upload?.fd ?? -1 })
    this.#thread = thread
    let last: ImportedBatch | undefined
    try {
      for (;;) {
        if (this.#abort.aborted) throw stoppedFailure(STOPPING, last)
        if (this.#closed) throw stoppedFailure(UNREAD, last)
        const batch = await thread.next()
        if (!batch) return
        if (!job.dryRun) {
          last = batch
          await onSlugsStored(batch.slugs)
        }
        const readTimer = setTimeout(() => void this.close(), timeouts.readMs)
        try {
          yield batch
        } finally {
          clearTimeout(readTimer)
        }
      }
    } catch (error) {
      if (job.dryRun || !isStorageUnavailable(error)) throw error
      throw stoppedFailure(UNAVAILABLE, last)
    } finally {
      await this.close()
    }
  }

  /** Ends the import after the rows that are being stored, and lets others begin theirs. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    try {
      await this.#thread?.close()
      await this.#upload?.close()
    } finally {
      this.#dependencies.release()
    }
  }
}

/** What comes until then; whoever sends no more is not waited for. */
async function* untilAborted(chunks: Source, signal: AbortSignal): Source {
  const source = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await rejectOnAbort(source.next(), signal)
      if (next.done) return
      yield next.value
    }
  } finally {
    void source.return?.()
  }
}

/** Leaves no listener behind: a race with one promise for all pieces would keep every piece until that is settled. */
async function rejectOnAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const rejection = Promise.withResolvers<never>()
  const abort = () => rejection.reject(BROKEN_UPLOAD)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, rejection.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Nothing is stored when there was no batch. */
function stoppedFailure(
  messages: { before: string; midway: string },
  last: ImportedBatch | undefined,
): Failure {
  const imported = last?.report.imported ?? 0
  const text =
    imported === 0
      ? `${messages.before}; nothing was imported. Try again later.`
      : `${messages.midway}; the ${imported} links up to line ${last?.line} are stored. Import the file again later: what is there already is skipped.`
  const isUnchanged = imported === 0 && messages === UNAVAILABLE
  return failure(isUnchanged ? 'storage_unavailable' : 'import_stopped', text)
}

const STOPPING = { before: 'The service is stopping', midway: 'The service is stopping' }
const UNREAD = { before: 'The answer was not read', midway: 'The answer was not read' }
const UNAVAILABLE = {
  before: 'The database cannot be used at the moment',
  midway: 'The database cannot be used any more',
}
