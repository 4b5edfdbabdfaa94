import { expect, test } from 'bun:test'
import { BackgroundQueue } from './background-queue.ts'

function openQueue(maxQueued = 100) {
  const started: string[] = []
  const ends: (() => void)[] = []
  const queue = new BackgroundQueue<string>({
    maxConcurrent: 4,
    maxQueued,
    onError: (error) => started.push(String(error)),
    run(job) {
      started.push(job)
      return new Promise((resolve) => ends.push(resolve))
    },
  })
  const endFirst = async () => {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return { queue, started, endFirst }
}

test('L6.6c: slow jobs of one owner leave room for those of another', () => {
  const { queue, started } = openQueue()
  for (let n = 1; n <= 50; n++) queue.enqueue('ann', `ann ${n}`)
  queue.enqueue('ben', 'ben 1')
  expect(started).toEqual(['ann 1', 'ann 2', 'ben 1'])
})

test('owners take turns', async () => {
  const { queue, started, endFirst } = openQueue()
  for (const owner of ['ann', 'ben', 'cat']) for (const n of [1, 2, 3]) queue.enqueue(owner, `${owner} ${n}`)
  for (let n = 0; n < 3; n++) await endFirst()
  expect(started.slice(0, 4)).toEqual(['ann 1', 'ann 2', 'ben 1', 'ben 2'])
  expect(started.slice(4)).toEqual(['ann 3', 'cat 1', 'ben 3'])
})

test('L6.6c: a full queue drops jobs of its owner only', () => {
  const { queue } = openQueue(2)
  const enqueue = (owner: string, count: number) =>
    Array.from({ length: count }, (_, n) => queue.enqueue(owner, `${owner} ${n}`))
  expect(enqueue('ann', 6)).toEqual([true, true, true, true, false, false])
  expect(enqueue('ben', 1)).toEqual([true])
})
