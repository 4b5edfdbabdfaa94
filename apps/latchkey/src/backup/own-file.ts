import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { BackupFailure } from '@latchkey/database/backup/copy-sqlite'

/**
 * Opens or creates a file for its owner only. What another user put in its place could be read by that
 * user, hold something else, or lead elsewhere. Throws `BackupFailure`.
 */
export async function openOwn(path: string, flags = 0): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, flags | O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600).catch(
    (error: unknown) => {
      throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? notOwn(path) : error
    },
  )
  const { uid, nlink } = await file.stat()
  if (uid === process.geteuid?.() && nlink === 1) {
    await file.chmod(0o600)
    return file
  }
  await file.close()
  throw notOwn(path)
}

function notOwn(path: string): BackupFailure {
  return new BackupFailure(`${path} is not a file of this user alone: move it away`)
}
