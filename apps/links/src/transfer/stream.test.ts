import { expect, test } from 'bun:test'
import { streamText } from './stream.ts'

test('a reader who leaves while a piece is made ends the pieces, and nothing has failed', async () => {
  const [asked, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const told: string[] = []
  async function* pieces() {
    try {
      yield 'first'
      asked.resolve()
      await made.promise
      yield 'second'
      told.push('went on')
    } finally {
      told.push('pieces ended')
    }
  }
  const stream = streamText(pieces(), {
    failed: (error) => told.push(String(error)),
    ended: async () => void told.push('ended'),
  })
  const reader = stream.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('first')
  const second = reader.read()
  await asked.promise
  const left = reader.cancel()
  made.resolve()
  await left
  expect((await second).done).toBe(true)
  expect(told).toEqual(['pieces ended', 'ended'])
})
