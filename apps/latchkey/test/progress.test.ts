import { expect, test } from 'bun:test'
import { Progress } from '../src/progress.ts'

function terminal(isTTY: boolean) {
  const written: string[] = []
  let nowMs = 0
  const progress = new Progress({ isTTY, write: (text: string) => written.push(text) }, () => nowMs)
  return { written, progress, at: (ms: number) => void (nowMs = ms) }
}

test('progress is one line that is written over, five times a second at most', () => {
  const { written, progress, at } = terminal(true)
  for (let ms = 0; ms <= 1000; ms++) {
    at(ms)
    progress.show(ms * 1000, { done: ms, whole: 2000 })
  }
  expect(written).toHaveLength(6)
  expect(written.at(-1)).toBe('\r\u001b[K50%, 1,000,000 rows, 1,000,000 per second, 1 s')
  progress.clear()
  expect(written.at(-1)).toBe('\r\u001b[K')
  expect(written.join('')).not.toContain('\n')
})

test('of a stream whose length nobody knows it tells no share', () => {
  const { written, progress } = terminal(true)
  progress.show(3, { done: 3, whole: undefined })
  expect(written[0]).toStartWith('\r\u001b[K3 rows, ')
})

test('where nobody watches nothing is written', () => {
  const { written, progress } = terminal(false)
  progress.show(3, { done: 3, whole: 9 })
  progress.showStatus('working')
  progress.clear()
  expect(written).toEqual([])
})
