import { expect, test } from 'bun:test'
import { Progress } from '../src/progress.ts'

function terminal(isTTY: boolean) {
  const written: string[] = []
  let nowMs = 0
  const progress = new Progress({ isTTY, write: (text: string) => written.push(text) }, () => nowMs)
  return { written, progress, at: (ms: number) => void (nowMs = ms) }
}

test('progress overwrites one line, at most five times a second', () => {
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

test('a stream of unknown length has no percentage', () => {
  const { written, progress } = terminal(true)
  progress.show(3, { done: 3, whole: undefined })
  expect(written[0]).toStartWith('\r\u001b[K3 rows, ')
})

test('writes nothing if the output is not a terminal', () => {
  const { written, progress } = terminal(false)
  progress.show(3, { done: 3, whole: 9 })
  progress.showStatus('working')
  progress.clear()
  expect(written).toEqual([])
})
