import { platform, setPriority } from 'node:os'
import { type Database, openDatabase } from '@latchkey/database/database'
import { isStorageUnavailable } from '@latchkey/database/errors'
import type { Tables } from '../../db/tables.ts'
import { type FilteredRead, readFiltered } from './filtered-read.ts'
import type { Progress } from './filtered-source.ts'
import type { Analytics, AnalyticsBreakdown } from './schema.ts'

// Reads filtered statistics in a thread beside the event loop of the redirects.

export type FilteredRequest =
  | { open: string }
  | { id: number; read: FilteredRead }
  | { cancel: number }
  | 'close'

export type FilteredReply =
  | { progress: Progress }
  | { result: Analytics | AnalyticsBreakdown }
  | { error: { message: string; isUnavailable: boolean } }

declare const self: Worker

/** A tenth of the share of other threads on busy processors: visitors come first. */
const NICENESS = 10
/** Limit of one statement on PostgreSQL, in milliseconds. Each reads one block or some raw clicks. */
const STATEMENT_LIMIT_MS = 8_000

// Only Linux applies this to the thread; other systems apply it to the process.
if (platform() === 'linux') setPriority(0, NICENESS)

let url = ''
let database: Database<Tables> | undefined
const running = new Map<number, AbortController>()

function open(): Database<Tables> {
  const opened = openDatabase<Tables>(url)
  return opened.dialect === 'postgres' ? opened.withStatementTimeout(STATEMENT_LIMIT_MS) : opened
}

async function run(id: number, read: FilteredRead): Promise<void> {
  const reply = (answer: FilteredReply) => self.postMessage({ id, reply: answer })
  const controller = new AbortController()
  running.set(id, controller)
  try {
    // Opened by the first read, and again after a failure: the database may be unreachable then.
    database ??= open()
    const { signal } = controller
    const result = await readFiltered(database, read, {
      signal,
      onProgress: (progress) => reply({ progress }),
    })
    reply({ result })
  } catch (error) {
    const { message } = error as Error
    reply({ error: { message, isUnavailable: isStorageUnavailable(error) } })
  } finally {
    running.delete(id)
  }
}

async function close(): Promise<void> {
  await database?.close()
  self.postMessage('closed')
}

self.addEventListener('message', ({ data }: MessageEvent<FilteredRequest>) => {
  if (data === 'close') void close()
  else if ('open' in data) url = data.open
  else if ('cancel' in data) running.get(data.cancel)?.abort()
  else void run(data.id, data.read)
})
