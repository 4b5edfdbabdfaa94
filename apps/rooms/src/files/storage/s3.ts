import { rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireNoTransaction } from '@latchkey/database/transaction-scope'
import type { S3Location } from './location.ts'
import { FileStorageUnavailable, type FileStorage, isContentKey } from './storage.ts'

/** Time limit of a request, up to the first byte of its answer. */
const TIMEOUT_MS = 60_000
/** Lifetime of a signed address. It never leaves the service. */
const SIGNATURE_SECONDS = 300

/** Contents in S3-compatible storage, as objects with the key as name. */
export function s3Storage({ prefix, endpoint, ...location }: S3Location): FileStorage {
  const client = new Bun.S3Client({ ...location, ...(endpoint !== null && { endpoint }) })
  const request = (key: string, method: 'GET' | 'PUT', initOf: () => RequestInit) => {
    const address = client.presign(prefix + key, { method, expiresIn: SIGNATURE_SECONDS })
    const send = () =>
      withTimeout((signal) => fetch(address, { ...initOf(), method, signal, redirect: 'error' }))
    // A server may close an idle connection at the moment of its next use.
    return send().catch((error: FileStorageUnavailable) => (isClosed(error) ? send() : Promise.reject(error)))
  }
  return {
    spoolFolder: join(tmpdir(), 'latchkey-rooms-uploads'),
    async put(key, path) {
      const { size } = await stat(path)
      // The client's own `write` would hold the file in memory. One request is all or nothing.
      const answer = await request(key, 'PUT', () => ({
        headers: { 'Content-Length': String(size) },
        body: Bun.file(path).stream(),
      }))
      if (!answer.ok) throw await unavailable(answer)
      await answer.body?.cancel()
      await rm(path)
    },
    async read(key, { start, end }) {
      const answer = await request(key, 'GET', () => ({ headers: { Range: `bytes=${start}-${end}` } }))
      if (answer.status === 206 && answer.body) return answer.body
      if (answer.status !== 404) throw await unavailable(answer)
      await answer.body?.cancel()
      return undefined
    },
    delete: (key) => translate(client.delete(prefix + key)),
    async *list() {
      for (let continuationToken: string | undefined; ;) {
        const page = await translate(
          client.list({ prefix, ...(continuationToken !== undefined && { continuationToken }) }),
        )
        for (const { key: name, size = 0, lastModified = '' } of page.contents ?? []) {
          const key = name.slice(prefix.length)
          if (isContentKey(key)) yield { key, bytes: size, modifiedMs: Date.parse(lastModified) }
        }
        if (!page.isTruncated || page.nextContinuationToken === undefined) return
        continuationToken = page.nextContinuationToken
      }
    },
  }
}

async function withTimeout(send: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS)
  try {
    return await translate(send(abort.signal))
  } finally {
    // The body of an answer is read at the pace of a client.
    clearTimeout(timer)
  }
}

function isClosed({ cause }: FileStorageUnavailable): boolean {
  return /^(?:ECONNRESET|ConnectionClosed|EPIPE)$/.test(String((cause as { code?: unknown }).code))
}

async function translate<Result>(work: Promise<Result>): Promise<Result> {
  requireNoTransaction('the storage of files')
  try {
    return await work
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string }
    throw new FileStorageUnavailable(`S3: ${code} ${message}`, { cause: error })
  }
}

/** The answer names the reason in XML. It contains no secret. */
async function unavailable(answer: Response): Promise<Error> {
  const code = /<Code>(\w+)<\/Code>/.exec(await answer.text().catch(() => ''))?.[1] ?? ''
  return new FileStorageUnavailable(`S3: status ${answer.status} ${code}`)
}
