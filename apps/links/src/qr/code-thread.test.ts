import { expect, test } from 'bun:test'
import { until } from '../../test/test-database.ts'
import { CodeThread } from './code-thread.ts'
import type { CodeOptions } from './create-code.ts'

const CODE: CodeOptions = {
  text: 'https://go.example.com/sale?utm_medium=qr',
  format: 'svg',
  size: 400,
  level: 'M',
  margin: 4,
  dark: '000000',
  light: 'ffffff',
  shape: 'round',
  eyes: 'square',
}

test('L32.4e: codes are drawn one after another, on a thread that ends when none come', async () => {
  const thread = new CodeThread({ idleMs: 5 })
  const sizes = [100, 200, 300]
  const replies = await Promise.all(sizes.map((size) => thread.run('ann', { ...CODE, size })))
  for (const [at, reply] of replies.entries())
    expect('image' in reply && String(reply.image.body)).toContain(` width="${sizes[at]}" `)
  await until('the thread has ended', () => !thread.isOpen)
  expect(await thread.run('ann', CODE)).toHaveProperty('image')
})

test('L32.4e: a person has at most 16 codes waiting and a node 64, besides the one that is drawn', async () => {
  const thread = new CodeThread()
  const replies = await Promise.all([
    ...Array.from({ length: 19 }, () => thread.run('ann', CODE)),
    ...Array.from({ length: 48 }, (_, at) => thread.run(`person ${at}`, CODE)),
    thread.run('zoe', CODE),
  ])
  const busy = replies.flatMap((reply, at) => ('refusal' in reply && reply.refusal === 'busy' ? [at] : []))
  expect(busy).toEqual([17, 18, 67])
})

test('L32.4e: people take turns, so no one waits for all codes of another', async () => {
  const thread = new CodeThread()
  const drawn: string[] = []
  const run = async (identity: string) => {
    await thread.run(identity, CODE)
    drawn.push(identity)
  }
  await Promise.all(['ann', 'ann', 'ann', 'ben', 'ben', 'zoe'].map(run))
  expect(drawn).toEqual(['ann', 'ann', 'ben', 'zoe', 'ann', 'ben'])
})

test('L32.4e: a code that would begin too late is given up', async () => {
  const thread = new CodeThread({ waitLimitMs: -1 })
  expect(await thread.run('ann', CODE)).toEqual({ refusal: 'late' })
  expect(thread.isOpen).toBe(false)
})

test('a thread on which a code has failed is not used again', async () => {
  const thread = new CodeThread()
  const broken = { ...CODE, frame: null } as unknown as CodeOptions
  expect(await thread.run('ann', broken).catch(String)).toStartWith('Error: A QR code cannot be drawn')
  expect(thread.isOpen).toBe(false)
  expect(await thread.run('ann', CODE)).toHaveProperty('image')
})

test('L32.4e: a code that takes too long is given up, and its thread ends', async () => {
  const thread = new CodeThread({ timeLimitMs: 0 })
  const replies = await Promise.all([thread.run('ann', CODE), thread.run('ben', CODE)])
  expect(replies).toEqual([{ refusal: 'late' }, { refusal: 'late' }])
  expect(thread.isOpen).toBe(false)
})
