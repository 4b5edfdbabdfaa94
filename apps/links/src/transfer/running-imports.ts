import type { Database } from '@latchkey/database/database'
import { isStorageUnavailable } from '@latchkey/database/errors'
import { BROKEN_UPLOAD } from '@latchkey/http/body'
import { Failure } from '@latchkey/http/failure'
import type { Tables } from '../db/tables.ts'
import { failure, failures } from '../failures.ts'
import type { LengthUse } from '../slugs/generator.ts'
import { ImportThread } from './import-thread.ts'
import type { ImportJob, ImportedBatch } from './import-worker.ts'
import type { Source } from './lines.ts'
import { type Upload, keepUpload } from './upload.ts'

/** Of all people: each import has a thread and memory of its own. */
const MAX_IMPORTS = 2
/** What a refused caller is told to wait, in seconds; nobody knows how long an import takes. */
const RETRY_AFTER = { 'Retry-After': '10' }

/** So that nobody keeps others from importing: a sender slower than 110 KB a second, a reader who reads nothing. */
const PATIENCE = { uploadMs: 300_000, readMs: 60_000 }

/** The imports of this node: one of a person and two in all at a time. */
export class RunningImports {
  readonly #database: Pick<Database<Tables>, 'write'>
  readonly #databaseUrl: string
  readonly #lengthUse: LengthUse
  readonly #patience: typeof PATIENCE
  readonly #running = new Map<string, RunningImport>()
  readonly #stopping = new AbortController()

  constructor(
    database: Pick<Database<Tables>, 'write'>,
    databaseUrl: string,
    lengthUse: LengthUse,
    patience: Partial<typeof PATIENCE> = {},
  ) {
    this.#database = database
    this.#databaseUrl = databaseUrl
    this.#lengthUse = lengthUse
    this.#patience = { ...PATIENCE, ...patience }
  }

  /**
   * Throws `import_running` or `imports_full`; otherwise the import is to be closed. `hangUp` is the sender's. The owner's
   * import that was hung up on is waited for: stopped in the browser, a preview may be asked for again at once.
   */
  async begin(owner: string, hangUp: AbortSignal): Promise<RunningImport> {
    const previous = this.#running.get(owner)
    if (previous?.isEnding) await previous.close()
    if (this.#running.has(owner)) throw refusal('import_running')
    if (this.#running.size >= MAX_IMPORTS) throw refusal('imports_full')
    const running = new RunningImport({
      owner,
      hangUp,
      stopping: this.#stopping.signal,
      databaseUrl: this.#databaseUrl,
      patience: this.#patience,
      release: () => this.#running.delete(owner),
      stored: (slugs) => this.#noteStored(slugs),
    })
    this.#running.set(owner, running)
    return running
  }

  async #noteStored(slugs: readonly string[]): Promise<void> {
    for (const slug of slugs) this.#lengthUse.added(slug)
    // What another connection has stored shows on the very next redirect, as with every write of this node.
    await this.#database.write(async () => {})
  }

  /** Imports end with what they have stored. */
  drain(): void {
    this.#stopping.abort()
  }
}

function refusal(code: 'import_running' | 'imports_full'): Failure {
  return new Failure(code, failures[code], RETRY_AFTER)
}

interface ImportDependencies {
  owner: string
  hangUp: AbortSignal
  stopping: AbortSignal
  databaseUrl: string
  patience: typeof PATIENCE
  release: () => void
  /** Called after each batch that was stored. */
  stored: (slugs: readonly string[]) => Promise<void>
}

/** One import, from its first byte to its end. */
export class RunningImport {
  readonly #dependencies: ImportDependencies
  readonly #end: AbortSignal
  #upload: Upload | undefined
  #thread: ImportThread | undefined
  #closed: Promise<void> | undefined

  constructor(dependencies: ImportDependencies) {
    this.#dependencies = dependencies
    this.#end = AbortSignal.any([dependencies.hangUp, dependencies.stopping])
  }

  /** Its sender has hung up, or the service is stopping. */
  get isEnding(): boolean {
    return this.#end.aborted
  }

  /** Bytes of the file. */
  get size(): number {
    return this.#upload?.bytes ?? 0
  }

  /** Takes the whole file. Throws what `pieces` throws, and `invalid_input` when they take too long. */
  async receive(pieces: Source): Promise<void> {
    const signal = AbortSignal.any([this.#end, AbortSignal.timeout(this.#dependencies.patience.uploadMs)])
    this.#upload = await keepUpload(untilAborted(pieces, signal))
  }

  /** Reads and stores the file. Throws `import_stopped`, which says how much is stored. */
  async *batches(job: Pick<ImportJob, 'format' | 'dryRun' | 'now'>): AsyncGenerator<ImportedBatch> {
    const { owner, databaseUrl, patience, stored } = this.#dependencies
    const thread = new ImportThread({ ...job, owner, databaseUrl, fd: this.#upload?.fd ?? -1 })
    this.#thread = thread
    let last: ImportedBatch | undefined
    try {
      for (;;) {
        if (this.#end.aborted) throw stopped(STOPPING, last)
        if (this.#closed) throw stopped(UNREAD, last)
        const batch = await thread.next()
        if (!batch) return
        if (!job.dryRun) {
          last = batch
          await stored(batch.slugs)
        }
        const unread = setTimeout(() => void this.close(), patience.readMs)
        try {
          yield batch
        } finally {
          clearTimeout(unread)
        }
      }
    } catch (error) {
      if (job.dryRun || !isStorageUnavailable(error)) throw error
      throw stopped(UNAVAILABLE, last)
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
async function* untilAborted(pieces: Source, signal: AbortSignal): Source {
  const source = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await orAborted(source.next(), signal)
      if (next.done) return
      yield next.value
    }
  } finally {
    void source.return?.()
  }
}

/** Leaves no listener behind: a race with one promise for all pieces would keep every piece until that is settled. */
async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(BROKEN_UPLOAD)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Nothing is stored when there was no batch. */
function stopped(why: { before: string; midway: string }, last: ImportedBatch | undefined): Failure {
  const imported = last?.report.imported ?? 0
  const text =
    imported === 0
      ? `${why.before}; nothing was imported. Try again later.`
      : `${why.midway}; the ${imported} links up to line ${last?.line} are stored. Import the file again later: what is there already is skipped.`
  return failure('import_stopped', text)
}

const STOPPING = { before: 'The service is stopping', midway: 'The service is stopping' }
const UNREAD = { before: 'The answer was not read', midway: 'The answer was not read' }
const UNAVAILABLE = {
  before: 'The database cannot be used at the moment',
  midway: 'The database cannot be used any more',
}
