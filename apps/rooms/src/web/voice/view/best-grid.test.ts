import { expect, test } from 'bun:test'
import { GAP, bestGrid, gridInColumns, rowsOf } from './best-grid.ts'

const WIDE = { width: 940, height: 420 }
const TALL = { width: 366, height: 640 }
const columnsOf = (counts: readonly number[], area: typeof WIDE) =>
  counts.map((count) => bestGrid(count, area).columns)

test('one to eight people are in the columns in which pictures are largest, on wide and on tall stages', () => {
  expect(columnsOf([1, 2, 3, 4, 5, 6, 7, 8], WIDE)).toEqual([1, 2, 2, 2, 3, 3, 4, 4])
  expect(columnsOf([1, 2, 3, 4, 5, 6, 7, 8], TALL)).toEqual([1, 1, 1, 2, 2, 2, 2, 2])
})

test('tiles never exceed the stage, and are never wider than a picture', () => {
  for (const area of [WIDE, TALL])
    for (let count = 1; count <= 8; count++) {
      const { columns, width, height } = bestGrid(count, area)
      const rows = Math.ceil(count / columns)
      expect(columns * (width + GAP) - GAP).toBeLessThanOrEqual(area.width)
      expect(rows * (height + GAP) - GAP).toBeLessThanOrEqual(area.height)
      expect(width / height).toBeLessThan(1.8)
    }
})

test('fifty tiles scroll before they become too small', () => {
  const { columns, height } = bestGrid(50, TALL)
  expect({ columns, height }).toEqual({ columns: 2, height: 96 })
})

test('R33.6a: tiles above the words are in one row, and in a second only where they would be too narrow', () => {
  const columns = (width: number) => [1, 2, 3, 4, 5, 6, 8].map((count) => rowsOf(count, width).columns)
  expect(columns(768)).toEqual([1, 2, 3, 4, 5, 3, 4])
  expect(columns(366)).toEqual([1, 2, 3, 2, 3, 3, 3])
  expect(columns(296)).toEqual([1, 2, 3, 2, 3, 3, 3])
  expect(rowsOf(3, 366).height).toBe(156)
  // In less height than they need they become lower, and scroll before they become too low.
  expect(gridInColumns(3, 3, { width: 296, height: 80 })).toEqual({ columns: 3, width: 93, height: 80 })
  expect(gridInColumns(8, 3, { width: 296, height: 80 })).toEqual({ columns: 3, width: 93, height: 80 })
})
