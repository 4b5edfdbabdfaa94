import { expect, test } from 'bun:test'
import { streamText } from './stream.ts'

test('a reader that leaves while a chunk is being created ends the chunks without an error', async () => {
  const [secondRequested, firstRelease] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const events: string[] = []
  async function* pieces() {
    try {
      yield 'first'
      secondRequested.resolve()
      await firstRelease.promise
      yield 'second'
      events.push('went on')
    } finally {
      events.push('pieces ended')
    }
  }
  const stream = streamText(pieces(), {
    onError: (error) => events.push(String(error)),
    onCancel: async () => void events.push('ended'),
  })
  const reader = stream.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('first')
  const second = reader.read()
  await secondRequested.promise
  const left = reader.cancel()
  firstRelease.resolve()
  await left
  expect((await second).done).toBe(true)
  expect(events).toEqual(['pieces ended', 'ended'])
})
