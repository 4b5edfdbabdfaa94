import { ReaderUnavailable } from './errors.ts'

/** What `work` ends in, or `ReaderUnavailable` when that takes longer. */
export async function withTimeout<Result>(ms: number, what: string, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new ReaderUnavailable(`${what} took over ${ms} ms`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
