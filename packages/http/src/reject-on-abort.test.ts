import { expect, spyOn, test } from 'bun:test'
import { rejectOnAbort } from './reject-on-abort.ts'

const never = new Promise<never>(() => {})
const messageOf = (rejected: Promise<unknown>) => rejected.catch((error: Error) => error.message)

test('work that settles before the signal aborts settles as before', async () => {
  const { signal } = new AbortController()
  expect(await rejectOnAbort(signal, Promise.resolve(7))).toBe(7)
  expect(await messageOf(rejectOnAbort(signal, Promise.reject(new Error('own'))))).toBe('own')
})

test('work that ignores the signal is rejected with its reason, before or after the abort', async () => {
  const controller = new AbortController()
  const waiting = rejectOnAbort(controller.signal, never)
  controller.abort(new Error('stopped'))
  expect(await messageOf(waiting)).toBe('stopped')
  expect(await messageOf(rejectOnAbort(controller.signal, never))).toBe('stopped')
})

test('aborted work that rejects with an error of its own is rejected with the reason', async () => {
  const controller = new AbortController()
  const work = Promise.withResolvers<never>()
  controller.signal.addEventListener('abort', () => work.reject(new Error('own')))
  const waiting = rejectOnAbort(controller.signal, work.promise)
  controller.abort(new Error('stopped'))
  expect(await messageOf(waiting)).toBe('stopped')
})

test('no listener stays after the work has settled', async () => {
  const { signal } = new AbortController()
  const added = spyOn(signal, 'addEventListener')
  const removed = spyOn(signal, 'removeEventListener')
  await rejectOnAbort(signal, Promise.resolve())
  expect(added).toHaveBeenCalledTimes(1)
  expect(removed.mock.calls).toEqual(added.mock.calls)
})
