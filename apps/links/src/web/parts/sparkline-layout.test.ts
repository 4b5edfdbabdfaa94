import { expect, test } from 'bun:test'
import { drawTrend } from './sparkline-layout.ts'

/** The points of a path, without its commands. */
const points = (path: string) => path.match(/[\d.]+,[\d.]+/g) ?? []

test('L14.8 a sparkline ends at the last bucket that is over, and the current one is a dot', () => {
  const { line, area, dot } = drawTrend([4, 8, 8, 1])
  expect(points(line)).toEqual(['0.00,14.00', '33.33,2.00', '66.67,2.00'])
  expect(points(area)).toEqual(['0.00,28', ...points(line)])
  expect(area).toEndWith('V28Z')
  expect(points(dot)).toEqual(['100.00,23.00'])
})

test('a sparkline of the current bucket alone is a dot, and none without buckets', () => {
  expect(drawTrend([3])).toEqual({ line: '', area: '', dot: 'M100.00,2.00h0' })
  expect(drawTrend([])).toEqual({ line: '', area: '', dot: '' })
  expect(drawTrend([0, 0]).line).toBe('M0.00,26.00h0')
})
