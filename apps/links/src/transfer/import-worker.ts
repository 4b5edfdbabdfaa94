import { readSync } from 'node:fs'
import { platform, setPriority } from 'node:os'
import { type Database, openDatabase } from '@latchkey/database/database'
import { isStorageUnavailable } from '@latchkey/database/errors'
import type { Tables } from '../db/tables.ts'
import { type StoredBatch, importBatches } from './import.ts'
import { newReport } from './report.ts'
import type { ImportedBatch, ImportRequest, ImportJob, ImportReply } from './import-job.ts'

// Reads and stores one import in a thread beside the event loop of the redirects, batch by batch on
// request.

declare const self: Worker

/** A tenth of the share of other threads on busy processors: an import still progresses. */
const NICENESS = 10
const CHUNK_BYTES = 64 * 1024
const COLLECT_EVERY_BYTES = 1024 ** 2

class ImportRun {
  readonly #database: Database<Tables>
  readonly #fd: number
  #bytesRead = 0
  #slugs: string[] = []
  readonly #report = newReport()
  readonly #batches: AsyncGenerator<StoredBatch, void>

  constructor({ databaseUrl, fd, ...job }: ImportJob) {
    this.#database = openDatabase(databaseUrl)
    this.#fd = fd
    const options = {
      ...job,
      database: this.#database,
      source: this.#read(),
      // On the admin side, links belong to the person who imports them, regardless of the file.
      ownedByFile: false,
      isBackground: true,
      onSlug: (slug: string) => void this.#slugs.push(slug),
    }
    this.#batches = importBatches(options, this.#report)
  }

  async next(): Promise<ImportedBatch | undefined> {
    const { done, value } = await this.#batches.next()
    if (done) return undefined
    const { outcomes, isLast } = value
    const slugs = this.#slugs
    this.#slugs = []
    return {
      lines: outcomes.map((row) => `${JSON.stringify({ row })}\n`).join(''),
      rows: outcomes.length,
      slugs,
      line: outcomes.at(-1)?.line ?? 0,
      report: this.#report,
      bytes: this.#bytesRead,
      isLast,
    }
  }

  async close(): Promise<void> {
    await this.#batches.return()
    await this.#database.close()
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = new Uint8Array(CHUNK_BYTES)
      const length = readSync(this.#fd, chunk, 0, CHUNK_BYTES, this.#bytesRead)
      if (length === 0) return
      this.#bytesRead += length
      yield chunk.subarray(0, length)
      // Large entries leave garbage of many times their size. Without a forced collection the heap
      // would grow to several times that.
      if (this.#bytesRead % COLLECT_EVERY_BYTES < CHUNK_BYTES) Bun.gc(true)
    }
  }
}

// Visitors come first on few processors. Only Linux applies this to the thread; other systems apply
// it to the process.
if (platform() === 'linux') setPriority(0, NICENESS)

let job: ImportJob | undefined
let importRun: ImportRun | undefined

async function answer(request: ImportRequest): Promise<ImportReply | undefined> {
  if (request === 'close') {
    await importRun?.close()
    return 'closed'
  }
  if (request === 'next') {
    if (!job) throw new Error('The import must begin before it continues')
    importRun ??= new ImportRun(job)
    return { batch: await importRun.next() }
  }
  job = request.open
  return undefined
}

async function reply(request: ImportRequest): Promise<void> {
  try {
    const result = await answer(request)
    if (result) self.postMessage(result)
  } catch (error) {
    const { message } = error as Error
    const isUnavailable = isStorageUnavailable(error)
    self.postMessage({ error: { message, isUnavailable } } satisfies ImportReply)
  }
}

let last = Promise.resolve()

self.addEventListener('message', ({ data }: MessageEvent<ImportRequest>) => {
  last = last.then(() => reply(data))
})
