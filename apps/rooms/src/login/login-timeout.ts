import { LoginFailure } from './provider.ts'

/**
 * Rejects with `LoginFailure` if the promise does not settle in `ms` milliseconds. Its later result
 * is ignored.
 */
export async function withLoginTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new LoginFailure('provider_unavailable', 'no answer from the provider in time')),
    ms,
  )
  try {
    return await Promise.race([promise, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
