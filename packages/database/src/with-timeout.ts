import { ReaderUnavailable } from './errors.ts'

/** Settles like `work`, or throws `ReaderUnavailable` after `ms` milliseconds. */
export async function withTimeout<Result>(ms: number, what: string, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new ReaderUnavailable(`${what} took over ${ms} ms`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
