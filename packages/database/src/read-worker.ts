import type { Database as SqliteFile } from 'bun:sqlite'
import { type Query, SqliteConnection } from './sqlite-connection.ts'
import { openSqliteFile } from './sqlite-file.ts'

// Reads a SQLite file without blocking the event loop of the service: one statement, or one batch
// of its rows, at a time.

/** The requests to the thread. */
export type ReadRequest =
  | { open: string }
  | { query: Query; atOnce?: number }
  /** The next batch of the current query. */
  | 'more'
  /** The caller has left: ends its statement and transaction. */
  | 'stop'
  | 'close'

export type Row = Record<string, unknown>
export type ReadReply = { rows: string | readonly Row[] } | { error: { message: string; code?: unknown } }

declare const self: Worker

let path = ''
let file: SqliteFile | undefined
let connection: SqliteConnection | undefined
let stream: AsyncIterator<{ rows: Row[] }> | undefined

async function answer(request: Exclude<ReadRequest, { open: string }>): Promise<readonly Row[]> {
  if (request === 'more') return nextRows()
  if (request === 'stop') return stop()
  if (request === 'close') return close()
  // Opened by the first query. If that fails, the next one tries again: the file may be missing now
  // and back later.
  file ??= openSqliteFile(path, { readonly: true })
  connection ??= new SqliteConnection(file)
  if (request.atOnce === undefined) return (await connection.executeQuery<Row>(request.query)).rows
  stream = connection.streamQuery<Row>(request.query, request.atOnce)
  return nextRows()
}

/** Returns the next rows; an empty list is the end. */
async function nextRows(): Promise<readonly Row[]> {
  const next = await stream?.next()
  return next?.done === false ? next.value.rows : []
}

async function stop(): Promise<[]> {
  await stream?.return?.()
  stream = undefined
  if (file?.inTransaction) file.run('rollback')
  return []
}

async function close(): Promise<[]> {
  await stop()
  connection?.forget()
  file?.close()
  return []
}

/** Text takes a third of the time of structured rows, but cannot carry bytes. */
function packRows(rows: readonly Row[]): string | readonly Row[] {
  const hasBytes = rows.some((row) => Object.values(row).some((value) => value instanceof Uint8Array))
  return hasBytes ? rows : JSON.stringify(rows)
}

async function reply(request: ReadRequest): Promise<void> {
  if (typeof request === 'object' && 'open' in request) {
    path = request.open
    return
  }
  try {
    self.postMessage({ rows: packRows(await answer(request)) } satisfies ReadReply)
  } catch (error) {
    const { message, code } = error as Error & { code?: unknown }
    self.postMessage({ error: { message, code } } satisfies ReadReply)
  }
}

self.addEventListener('message', ({ data }: MessageEvent<ReadRequest>) => void reply(data))
