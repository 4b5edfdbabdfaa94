import { constants } from 'node:fs'
import { rm } from 'node:fs/promises'
import { CommandFailure } from '../../command.ts'
import { openOwn } from '../own-file.ts'
import { findObject, readObject } from './read-object.ts'
import type { S3Object } from './settings.ts'

/** The entity tag of the object, beside what was downloaded of it. */
const tagPath = (file: string) => `${file}.etag`

/**
 * Downloads an object to a file. A download that was interrupted continues, unless the object was
 * replaced. Throws `CommandFailure` if there is none, and as `openOwn`.
 */
export async function downloadObject(
  object: S3Object,
  file: string,
  onBytes: (bytes: number, whole: number) => void,
): Promise<void> {
  const state = await findObject(object)
  if (!state) throw new CommandFailure(`There is no object s3://${object.bucket}/${object.key}`)
  const tag = await Bun.file(tagPath(file))
    .text()
    .catch(() => '')
  if (tag !== state.etag) await deleteDownload(file)
  const output = await openOwn(file, constants.O_APPEND)
  try {
    const { size } = await output.stat()
    const start = size <= state.bytes ? size : 0
    await output.truncate(start)
    await Bun.write(tagPath(file), state.etag)
    let at = start
    for await (const piece of readObject(object, state, start)) {
      await output.writeFile(piece)
      at += piece.length
      onBytes(at, state.bytes)
    }
  } finally {
    await output.close()
  }
}

export async function deleteDownload(file: string): Promise<void> {
  for (const path of [file, tagPath(file)]) await rm(path, { force: true })
}
