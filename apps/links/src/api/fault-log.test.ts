import { expect, jest, test } from 'bun:test'
import { createLog } from '@latchkey/http/log'
import { createFaultLog } from './fault-log.ts'

test('a fault is logged at once, then once a second with its count, and not at all without a fault', () => {
  jest.useFakeTimers()
  try {
    const lines: unknown[] = []
    const write = (line: string) => void lines.push((JSON.parse(line) as { clicks: number }).clicks)
    const lose = createFaultLog(createLog({ write }), 'clicks are lost', 'clicks')
    const error = new Error('the disk is full')
    for (let n = 0; n < 1000; n++) lose(error, 3)
    expect(lines).toEqual([3])
    jest.advanceTimersByTime(999)
    expect(lines).toEqual([3])
    jest.advanceTimersByTime(1)
    expect(lines).toEqual([3, 2997])
    lose(error, 5)
    expect(lines).toEqual([3, 2997])
    jest.advanceTimersByTime(1000)
    expect(lines).toEqual([3, 2997, 5])
    jest.advanceTimersByTime(10_000)
    expect(lines).toEqual([3, 2997, 5])
    lose(error, 7)
    expect(lines).toEqual([3, 2997, 5, 7])
  } finally {
    jest.useRealTimers()
  }
})
