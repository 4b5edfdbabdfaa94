import { expect, test } from 'bun:test'
import { barPath, chooseLabels, positionBars, scaleTicks } from './bar-layout.ts'

test('grid lines are integers at equal distances, and the highest one is not below the bars', () => {
  expect(scaleTicks(0)).toEqual([0, 1, 2, 3, 4])
  expect(scaleTicks(1)).toEqual([0, 1, 2, 3, 4])
  expect(scaleTicks(5)).toEqual([0, 2, 4, 6, 8])
  expect(scaleTicks(10)).toEqual([0, 3, 6, 9, 12])
  expect(scaleTicks(104)).toEqual([0, 30, 60, 90, 120])
  expect(scaleTicks(1_234_567)).toEqual([0, 350_000, 700_000, 1_050_000, 1_400_000])
  for (let max = 1; max < 2_000_000; max = Math.ceil(max * 1.3)) {
    const ticks = scaleTicks(max)
    const top = ticks.at(-1) ?? 0
    expect([max, top >= max, ticks.every(Number.isInteger)]).toEqual([max, true, true])
  }
})

test('bars share the width, and a few bars do not become wide', () => {
  expect(positionBars(2, 10, 200)).toEqual([
    { x: 60, share: 100, width: 36 },
    { x: 160, share: 100, width: 36 },
  ])
  const many = positionBars(100, 0, 500)
  expect(many[0]?.width).toBeCloseTo(3.2)
  expect(many.at(-1)?.x).toBe(497.5)
})

test('as many labels as fit are drawn, at equal distances from the first', () => {
  const labels = Array.from({ length: 30 }, (_, index) => `${index + 1} Nov`)
  const indexesAt = (width: number) => chooseLabels(labels, positionBars(30, 0, width))
  expect(indexesAt(3000)).toHaveLength(30)
  expect(indexesAt(900)).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24, 27])
  const narrow = indexesAt(300)
  expect(narrow[0]).toBe(0)
  expect(narrow.length).toBeGreaterThan(2)
  expect(narrow.length).toBeLessThan(6)
  expect(indexesAt(20)).toEqual([0])
  expect(chooseLabels([], [])).toEqual([])
  expect(chooseLabels(['1 Nov'], positionBars(1, 0, 100))).toEqual([0])
})

test('the rounded corners of bars are never higher than the bars', () => {
  expect(barPath({ x: 50, share: 30, width: 20 }, 100, 200)).toBe(
    'M40,200V103Q40,100 43,100H57Q60,100 60,103V200Z',
  )
  expect(barPath({ x: 50, share: 30, width: 20 }, 199, 200)).toBe(
    'M40,200V200Q40,199 41,199H59Q60,199 60,200V200Z',
  )
})
