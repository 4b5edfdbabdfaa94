import { codePoints } from '@latchkey/http/text'
import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'

/** Throws unless a text has a length that the caller may write. */
export function requireLength(context: Context, content: string): void {
  const { limits } = context.policy
  const { user } = context.actor
  const maxLength = user.is_guest === 1 ? limits.guest_message_length : limits.message_length
  if (codePoints(content) > maxLength)
    throw failure('invalid_request', {
      text: `content: must have at most ${maxLength} characters`,
      fields: [{ path: 'content', code: 'too_big' }],
    })
}
