import { expect, test } from 'bun:test'
import { GAP, bestGrid } from './best-grid.ts'

const WIDE = { width: 940, height: 420 }
const TALL = { width: 366, height: 640 }
const columnsOf = (counts: readonly number[], area: typeof WIDE) =>
  counts.map((count) => bestGrid(count, area).columns)

test('one to eight people are in the columns in which pictures are largest, on wide and on tall stages', () => {
  expect(columnsOf([1, 2, 3, 4, 5, 6, 7, 8], WIDE)).toEqual([1, 2, 2, 2, 3, 3, 3, 3])
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
