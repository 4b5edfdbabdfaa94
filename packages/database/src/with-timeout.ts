import { ReaderUnavailable } from './errors.ts'

/**
 * Settles like `work`, or rejects after `ms` milliseconds; the work itself continues. `late` creates
 * the error. A string is the subject of a `ReaderUnavailable`.
 *
 * @example await withTimeout(2_000, 'A statement', query) // ReaderUnavailable: A statement took over 2000 ms
 */
export async function withTimeout<Result>(
  ms: number,
  late: string | (() => Error),
  work: Promise<Result>,
): Promise<Result> {
  const timeout = Promise.withResolvers<never>()
  const createError = () =>
    typeof late === 'string' ? new ReaderUnavailable(`${late} took over ${ms} ms`) : late()
  const timer = setTimeout(() => timeout.reject(createError()), ms)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
