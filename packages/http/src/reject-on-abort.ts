/**
 * Settles like `work`, or rejects with the reason of `signal` as soon as it aborts: some operations
 * do not react to a signal. Leaves no listener behind, unlike a race with one promise for many
 * operations, which would retain every result until that promise settles.
 *
 * @example await rejectOnAbort(AbortSignal.timeout(5_000), resolveHost('example.com'))
 */
export async function rejectOnAbort<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, aborted.promise])
  } catch (error) {
    // Aborted work rejects with an error of its own.
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
