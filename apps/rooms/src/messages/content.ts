import { isVisible } from '@latchkey/http/visible'
import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'

/** Throws unless a message with so many files may have this text: only files make up for one. */
export function requireContent(content: string, fileCount: number): void {
  if (fileCount === 0 && !isVisible(content))
    throw failure('invalid_request', {
      text: 'content: must have at least 1 visible character',
      fields: [{ path: 'content', code: 'custom' }],
    })
}

/** Throws if a message may not have so many files. */
export function requireFileCount({ policy: { limits } }: Context, count: number): void {
  if (count > limits.files_per_message)
    throw failure('invalid_request', {
      text: `files: must be at most ${limits.files_per_message}`,
      fields: [{ path: 'files', code: 'too_big' }],
    })
}
