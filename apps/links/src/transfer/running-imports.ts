import type { Database } from '@latchkey/database/database'
import { isStorageUnavailable } from '@latchkey/database/errors'
import { BROKEN_UPLOAD } from '@latchkey/http/body'
import { Failure } from '@latchkey/http/failure'
import { rejectOnAbort } from '@latchkey/http/reject-on-abort'
import type { Tables } from '../db/tables.ts'
import { failure, failures } from '../api/failures.ts'
import type { SlugSpace } from '../links/slugs/generator.ts'
import { ImportThread } from './import-thread.ts'
import type { ImportJob, ImportedBatch } from './import-job.ts'
import type { Source } from './lines.ts'
import { type Upload, storeUpload } from './upload.ts'

/** Limit for all people together: each import has its own thread and memory. */
const MAX_IMPORTS = 2
/** Retry advice for a refused caller, in seconds. The duration of an import is unknown. */
const RETRY_AFTER = { 'Retry-After': '10' }

/**
 * Timeouts that keep one person from blocking the imports of others. They end the import of a
 * sender slower than 110 KB a second, and of a reader that reads nothing.
 */
const TIMEOUTS = { uploadMs: 300_000, readMs: 60_000 }

/** The running imports of this node: at most one per person and two in total. */
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
   * Throws `import_running` or `imports_full`; otherwise the caller has to close the import.
   * `clientAbort` signals that the sender has hung up. An aborted import of the same owner is
   * awaited first: after a stop in the browser, a preview may follow at once.
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
    // An empty write makes rows of another connection visible to the very next redirect, like every
    // write of this node.
    await this.#database.write(async () => {})
  }

  /** Ends the imports with the rows stored so far. */
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

/** One import, from the first byte of its upload to its end. */
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

  /** The sender has hung up, or the service is stopping. */
  get isEnding(): boolean {
    return this.#abort.aborted
  }

  /** Size of the file in bytes. */
  get size(): number {
    return this.#upload?.bytes ?? 0
  }

  /** Receives the whole file. Throws the errors of `chunks`, and `invalid_request` on a timeout. */
  async receive(chunks: Source): Promise<void> {
    const signal = AbortSignal.any([this.#abort, AbortSignal.timeout(this.#dependencies.timeouts.uploadMs)])
    this.#upload = await storeUpload(untilAborted(chunks, signal))
  }

  /**
   * Reads and stores the file. Throws `import_stopped`, which contains the number of stored rows.
   */
  async *batches(job: Omit<ImportJob, 'owner' | 'databaseUrl' | 'fd'>): AsyncGenerator<ImportedBatch> {
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
        if (batch.isLast) return
      }
    } catch (error) {
      if (job.dryRun || !isStorageUnavailable(error)) throw error
      throw stoppedFailure(UNAVAILABLE, last)
    } finally {
      await this.close()
    }
  }

  /** Ends the import after the rows that are being stored, and releases its place. */
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

/** Yields chunks until the signal aborts, without waiting for a sender that has stopped. */
async function* untilAborted(chunks: Source, signal: AbortSignal): Source {
  const source = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await rejectOnAbort(signal, source.next())
      if (next.done) return
      yield next.value
    }
  } catch (error) {
    throw signal.aborted ? BROKEN_UPLOAD : error
  } finally {
    void source.return?.()
  }
}

/** Without a batch, nothing was stored. */
function stoppedFailure(
  messages: { before: string; midway: string },
  last: ImportedBatch | undefined,
): Failure {
  const imported = last?.report.imported ?? 0
  const text =
    imported === 0
      ? `${messages.before}; nothing was imported. Try again later.`
      : `${messages.midway}; the ${imported} links up to line ${last?.line} were imported. Import the file again later to add the rest.`
  const isUnchanged = imported === 0 && messages === UNAVAILABLE
  return failure(isUnchanged ? 'storage_unavailable' : 'import_stopped', text)
}

const STOPPING = { before: 'The service is stopping', midway: 'The service is stopping' }
const UNREAD = { before: 'The response was not read', midway: 'The response was not read' }
const UNAVAILABLE = {
  before: 'The database is unavailable',
  midway: 'The database became unavailable',
}
