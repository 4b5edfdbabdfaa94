import { expect, jest, test } from 'bun:test'
import { createLog } from '@latchkey/http/log'
import { createLossLog } from './loss-log.ts'

test('lost clicks are told at once, then once a second with their sum, and not at all when none are lost', () => {
  jest.useFakeTimers()
  try {
    const told: unknown[] = []
    const write = (line: string) => void told.push((JSON.parse(line) as { clicks: number }).clicks)
    const lose = createLossLog(createLog({ write }))
    const error = new Error('the disk is full')
    for (let n = 0; n < 1000; n++) lose(error, 3)
    expect(told).toEqual([3])
    jest.advanceTimersByTime(999)
    expect(told).toEqual([3])
    jest.advanceTimersByTime(1)
    expect(told).toEqual([3, 2997])
    lose(error, 5)
    expect(told).toEqual([3, 2997])
    jest.advanceTimersByTime(1000)
    expect(told).toEqual([3, 2997, 5])
    jest.advanceTimersByTime(10_000)
    expect(told).toEqual([3, 2997, 5])
    lose(error, 7)
    expect(told).toEqual([3, 2997, 5, 7])
  } finally {
    jest.useRealTimers()
  }
})
