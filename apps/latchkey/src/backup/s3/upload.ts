import { rename, rm } from 'node:fs/promises'
import { FileStorageUnavailable } from '@latchkey/rooms/files/storage/storage'
import { z } from 'zod'
import { codeOf, sendToS3 } from './request.ts'
import type { S3Object } from './settings.ts'

/** Held in memory while it is sent. S3 accepts 10,000 parts of at least 5 MiB. */
const PART_BYTES = 16 * 1024 ** 2
const MAX_PARTS = 9_000

const Upload = z.object({
  address: z.string(),
  /** Null before the first part. */
  id: z.string().nullable(),
  part_bytes: z.int().positive(),
  /** Entity tags of the confirmed parts, in their order. */
  etags: z.array(z.string()),
})
type Upload = z.output<typeof Upload>

/** Where the state of an upload is kept, beside its file. */
const uploadStatePath = (file: string) => `${file}.upload`

/** Whether an upload of the file to this address was begun and not finished. */
export async function isUploading(file: string, address: string): Promise<boolean> {
  return (await readState(file))?.address === address
}

/** Records that the file, which need not exist yet, is to be uploaded to this address. */
export async function planUpload(file: string, address: string): Promise<void> {
  await saveState(file, { address, id: null, part_bytes: PART_BYTES, etags: [] })
}

/**
 * Uploads a file as an object, in parts. An upload that was interrupted continues with the first part
 * that was not confirmed; it appears in the bucket when it is complete. The state of the upload stays
 * beside the file.
 */
export async function uploadFile(
  object: S3Object,
  address: string,
  file: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const upload = (await findUpload(object, address, file)) ?? (await beginUpload(object, address, file))
  const { size } = Bun.file(file)
  for (let part = upload.etags.length; part * upload.part_bytes < size; part++) {
    const start = part * upload.part_bytes
    onBytes(start)
    upload.etags.push(
      await sendPart(object, upload, part, Bun.file(file).slice(start, start + upload.part_bytes)),
    )
    await saveState(file, upload)
  }
  await completeUpload(object, upload)
}

async function beginUpload(object: S3Object, address: string, file: string): Promise<Upload> {
  const response = await sendToS3(object, { method: 'POST', query: { uploads: '' } })
  const id = /<UploadId>([^<]+)<\/UploadId>/.exec(await response.text())?.[1]
  if (id === undefined) throw new FileStorageUnavailable(`S3: ${object.bucket} begins no upload`)
  const part_bytes = Math.max(PART_BYTES, Math.ceil(Bun.file(file).size / MAX_PARTS))
  const upload = { address, id, part_bytes, etags: [] }
  await saveState(file, upload)
  return upload
}

/** Undefined if there is none, or the storage has given it up. */
async function findUpload(object: S3Object, address: string, file: string): Promise<Upload | undefined> {
  const upload = await readState(file)
  if (upload?.address !== address || upload.id === null) return undefined
  const query = { uploadId: upload.id, 'max-parts': '1' }
  const response = await sendToS3(object, { method: 'GET', query })
  await response.body?.cancel()
  return response.status === 404 ? undefined : upload
}

async function sendPart(object: S3Object, { id }: Upload, part: number, content: Blob): Promise<string> {
  const response = await sendToS3(object, {
    method: 'PUT',
    query: { uploadId: id ?? '', partNumber: String(part + 1) },
    body: await content.arrayBuffer(),
  })
  const etag = response.headers.get('ETag')
  if (response.status === 404 || etag === null)
    throw new FileStorageUnavailable(`S3: ${object.bucket} has lost the upload`)
  return etag
}

async function completeUpload(object: S3Object, { id, etags }: Upload): Promise<void> {
  const parts = etags.map(
    (etag, at) =>
      `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Part>`,
  )
  const response = await sendToS3(object, {
    method: 'POST',
    query: { uploadId: id ?? '' },
    headers: { 'Content-Type': 'application/xml' },
    body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
  })
  const text = await response.text()
  // The status is sent before the work is done: an error follows it in the body.
  if (response.status === 404 || /<Error>/.test(text))
    throw new FileStorageUnavailable(`S3: the upload was not completed${codeOf(text)}`)
}

async function readState(file: string): Promise<Upload | undefined> {
  const state = Bun.file(uploadStatePath(file))
  if (!(await state.exists())) return undefined
  return Upload.safeParse(await state.json().catch(() => undefined)).data
}

async function saveState(file: string, upload: Upload): Promise<void> {
  const path = uploadStatePath(file)
  await Bun.write(`${path}.new`, JSON.stringify(upload), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

export async function deleteUploadState(file: string): Promise<void> {
  await rm(uploadStatePath(file), { force: true })
}
