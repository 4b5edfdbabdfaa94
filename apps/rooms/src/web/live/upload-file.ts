import { CallError } from '@latchkey/web/call'
import type { RoomFile } from '../../files/schema.ts'
import { addressOf, inPageSession, pageToken } from '../call.ts'

export interface UploadOptions {
  /** Called with the part that is sent, from 0 to 1. */
  onProgress: (sent: number) => void
  /** Aborts the upload. */
  signal: AbortSignal
  /** An image is stored as it is, with its metadata, for download only. */
  asFile: boolean
}

/** Sends a file to a room. Rejects with `CallError`. */
export function uploadFile(roomId: string, file: File, options: UploadOptions): Promise<RoomFile> {
  const query = options.asFile ? ({ as: 'file' } as const) : {}
  const address = addressOf('uploadFile', { params: { id: roomId }, query })
  return inPageSession(() => sendForm(address, file, options))
}

/** `fetch` does not report the progress of a request. */
function sendForm(address: string, file: File, { onProgress, signal }: UploadOptions): Promise<RoomFile> {
  const { promise, resolve, reject } = Promise.withResolvers<RoomFile>()
  const form = new FormData()
  form.append('file', file, file.name)
  const request = new XMLHttpRequest()
  request.open('POST', address)
  request.responseType = 'json'
  request.setRequestHeader('x-csrf-token', pageToken())
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
  const fail = () => reject(new CallError(0, 'offline', { code: 'offline' }))
  request.addEventListener('error', fail)
  request.addEventListener('abort', fail)
  request.addEventListener('load', () => {
    const answer = request.response as { file?: RoomFile; error?: string; code?: string } | null
    if (answer?.file) resolve(answer.file)
    else reject(new CallError(request.status, answer?.error ?? '', answer ?? {}))
  })
  signal.addEventListener('abort', () => request.abort())
  request.send(form)
  return promise
}
