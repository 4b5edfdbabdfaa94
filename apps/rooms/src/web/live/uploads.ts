import { MINUTE_MS } from '@latchkey/http/duration'
import { CallError } from '@latchkey/web/call'
import type { RoomFile } from '../../files/schema.ts'
import type { uploadFile } from './upload-file.ts'

/** File for the next message. */
export interface Upload {
  id: string
  name: string
  bytes: number
  /** The part that is sent, from 0 to 1. */
  progress: number
  /** Undefined until the server has stored it. */
  file?: RoomFile
  /** Why it was not stored. */
  error?: unknown
}

interface Options {
  send: (file: File, options: Parameters<typeof uploadFile>[2]) => ReturnType<typeof uploadFile>
  /** Stored files of an earlier page of this tab. */
  savedText: string
  /** Called after every change, with the text for `savedText`. */
  onChange: (uploads: readonly Upload[], text: string) => void
  now?: () => number
}

/** More would take the connections that conversations need. */
const MAX_SENDING = 2

/** Shortly before the server deletes a file that no message has. */
const LIFETIME_MS = 55 * MINUTE_MS

interface Source {
  file: File
  abort: AbortController
  isSending: boolean
  asFile: boolean
}

/** Uploads the files for the next message of a room while the user writes it. */
export class Uploads {
  #uploads: readonly Upload[]
  readonly #sources = new Map<string, Source>()
  readonly #storedAt = new Map<string, number>()
  readonly #options: Required<Options>

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options }
    this.#uploads = []
    const saved = JSON.parse(options.savedText || '[]') as [file: RoomFile, atMs: number][]
    const fresh = saved.filter(([, atMs]) => atMs > this.#options.now() - LIFETIME_MS)
    for (const [file, atMs] of fresh) this.#storedAt.set(file.id, atMs)
    this.#uploads = fresh.map(([file]) => toUpload(file))
  }

  get uploads(): readonly Upload[] {
    return this.#uploads
  }

  add(files: readonly File[], maxBytes: number): void {
    const added = files.map((file): Upload => {
      const id = crypto.randomUUID()
      const upload = { id, name: file.name, bytes: file.size, progress: 0 }
      if (file.size > maxBytes)
        return { ...upload, error: new CallError(413, '', { code: 'file_too_large' }) }
      this.#sources.set(id, { file, abort: new AbortController(), isSending: false, asFile: false })
      return upload
    })
    this.#set([...this.#uploads, ...added])
    this.#sendWaiting()
  }

  /** Adds files that are stored already. */
  restore(files: readonly RoomFile[]): void {
    for (const { id } of files) if (!this.#storedAt.has(id)) this.#storedAt.set(id, this.#options.now())
    this.#set([...this.#uploads, ...files.map(toUpload)])
  }

  /** Also aborts the upload. */
  remove(id: string): void {
    this.#sources.get(id)?.abort.abort()
    this.#sources.delete(id)
    this.#set(this.#uploads.filter((upload) => upload.id !== id))
    this.#sendWaiting()
  }

  /** With `asFile`, an image is sent as a plain file. */
  retry(id: string, { asFile = false } = {}): void {
    const source = this.#sources.get(id)
    if (!source) return
    source.asFile = asFile
    this.#change(id, { progress: 0, error: undefined })
    this.#sendWaiting()
  }

  /** Removes and returns the stored files, in their order. */
  take(): RoomFile[] {
    const files = this.#uploads.flatMap(({ file }) => file ?? [])
    this.#set(this.#uploads.filter(({ file }) => !file))
    return files
  }

  #sendWaiting(): void {
    for (const { id, error } of this.#uploads) {
      const source = this.#sources.get(id)
      const sending = [...this.#sources.values()].filter(({ isSending }) => isSending)
      if (sending.length >= MAX_SENDING) return
      if (source && !source.isSending && error === undefined) void this.#send(id, source)
    }
  }

  async #send(id: string, source: Source): Promise<void> {
    source.isSending = true
    try {
      const file = await this.#options.send(source.file, {
        signal: source.abort.signal,
        asFile: source.asFile,
        onProgress: (progress) => this.#change(id, { progress }),
      })
      this.#sources.delete(id)
      this.#storedAt.set(file.id, this.#options.now())
      this.#change(id, { file })
    } catch (error) {
      this.#change(id, { error })
    } finally {
      source.isSending = false
      this.#sendWaiting()
    }
  }

  #change(id: string, change: Partial<Upload>): void {
    this.#set(this.#uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)))
  }

  #set(uploads: readonly Upload[]): void {
    this.#uploads = uploads
    const stored = uploads.flatMap(({ file }) => (file ? [[file, this.#storedAt.get(file.id)]] : []))
    this.#options.onChange(uploads, stored.length === 0 ? '' : JSON.stringify(stored))
  }
}

const toUpload = (file: RoomFile): Upload => ({
  id: file.id,
  name: file.name,
  bytes: file.bytes,
  progress: 1,
  file,
})
