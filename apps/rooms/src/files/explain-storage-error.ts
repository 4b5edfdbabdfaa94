import type { Failure } from '@latchkey/http/failure'
import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { FileStorageUnavailable } from './storage/storage.ts'

const DISK_ERRORS = /^(?:ENOSPC|EDQUOT|EROFS|EACCES|EEXIST|EIO|EMFILE|ENFILE|ENOTDIR)$/

/**
 * Returns 503 for full disks, missing permissions and storage that does not answer: they are not
 * faults of the service. Returns other errors unchanged.
 */
export function explainStorageError({ log, requestId }: Context, error: unknown): unknown {
  const { code } = error as { code?: unknown }
  if (!(error instanceof FileStorageUnavailable) && !DISK_ERRORS.test(String(code))) return error
  log.error('files: storage cannot be used', { requestId, error })
  return unavailable()
}

export function unavailable(): Failure {
  return failure('unavailable', { headers: { 'Retry-After': '5' } })
}
