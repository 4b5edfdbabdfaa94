import { withTimeout } from '@latchkey/database/with-timeout'
import { LoginFailure } from './provider.ts'

/**
 * Rejects with `LoginFailure` if the promise is pending for `ms` milliseconds. Its later result is
 * ignored.
 */
export function withLoginTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  return withTimeout(ms, createFailure, promise)
}

function createFailure(): LoginFailure {
  return new LoginFailure('provider_unavailable', 'no answer from the provider in time')
}
