import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BackupFailure, checkBackupTarget } from '@latchkey/database/backup/copy-sqlite'
import type { Progress } from '../progress.ts'
import { createBackup } from './create.ts'
import { withPartialLock } from './partial-file.ts'
import { type RestoreOptions, type RestoredService, restoreBackup } from './restore.ts'
import { deleteDownload, downloadObject } from './s3/download.ts'
import { type ObjectState, findObject, readObject } from './s3/read-object.ts'
import { sendToS3 } from './s3/request.ts'
import type { S3Object } from './s3/settings.ts'
import { deleteUploadState, isUploading, planUpload, uploadFile } from './s3/upload.ts'
import type { BackupService } from './services.ts'
import { InvalidBackup } from './tar.ts'
import { type VerifiedArchive, verifyArchive } from './verify.ts'

export interface RemotePlace {
  readonly object: S3Object
  readonly address: string
  /** Where the archive is kept on its way. */
  readonly folder: string
}

/**
 * Creates a backup, uploads it, and verifies it as it is in the bucket. Each of these continues after
 * an interruption. Throws as `createBackup`, and `FileStorageUnavailable`.
 */
export async function backUpToS3(
  { object, address, folder }: RemotePlace,
  services: readonly BackupService[],
  progress: Progress,
): Promise<VerifiedArchive> {
  const file = join(folder, basename(object.key))
  return withPartialLock(`${file}.upload`, async () => {
    const isContinued = await isUploading(file, address)
    const stored = await findObject(object)
    const isStored = isContinued && existsSync(file) && stored?.bytes === Bun.file(file).size
    if (stored && !isStored)
      throw new BackupFailure(`${address} already exists, and a backup never overwrites it`)
    if (!isContinued) {
      checkBackupTarget(file)
      await planUpload(file, address)
    }
    if (!isContinued || !existsSync(file)) await createBackup(file, services, progress)
    if (!isStored) {
      const { size } = Bun.file(file)
      await uploadFile(object, address, file, (bytes) => progress.showBytes('uploading', bytes, size))
    }
    const archive = await verifyStored(object, file, address, progress)
    await rm(file)
    await deleteUploadState(file)
    return archive
  })
}

/** Deletes an object that is damaged, so that the next run uploads it again. */
async function verifyStored(
  object: S3Object,
  file: string,
  address: string,
  progress: Progress,
): Promise<VerifiedArchive> {
  const state = await findObject(object)
  if (!state) throw new BackupFailure(`${address} does not exist after the upload`)
  try {
    return await verifyObject(object, state, progress)
  } catch (error) {
    if (!(error instanceof InvalidBackup)) throw error
    await sendToS3(object, { method: 'DELETE' })
    await planUpload(file, address)
    throw error
  }
}

function verifyObject(object: S3Object, state: ObjectState, progress: Progress): Promise<VerifiedArchive> {
  return verifyArchive(readObject(object, state), (bytes) =>
    progress.showBytes('verifying in S3', bytes, state.bytes),
  )
}

/** Downloads a backup and restores it. The download is deleted unless another run can use it. */
export async function restoreFromS3(
  { object, address, folder }: RemotePlace,
  options: Pick<RestoreOptions, 'only' | 'replace'>,
  progress: Progress,
  onRestored: (restored: RestoredService) => void,
): Promise<VerifiedArchive> {
  const file = join(folder, `${basename(object.key)}.download`)
  return withPartialLock(file, async () => {
    await downloadObject(object, file, (bytes, whole) => progress.showBytes('downloading', bytes, whole))
    try {
      const archive = await restoreBackup({ ...options, file, place: address }, progress, onRestored)
      await deleteDownload(file)
      return archive
    } catch (error) {
      if (error instanceof InvalidBackup) await deleteDownload(file)
      throw error
    }
  })
}
