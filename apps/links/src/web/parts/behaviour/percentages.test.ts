import { expect, test } from 'bun:test'
import { changeShare, percentagesOf, weightsOf } from './percentages.ts'

const sum = (shares: readonly number[]) => shares.reduce((total, share) => total + share, 0)

test('L26.8: shares in percent add up to 100, and none is 0', () => {
  expect(percentagesOf([9, 1])).toEqual([90, 10])
  expect(percentagesOf([1, 1, 1])).toEqual([34, 33, 33])
  expect(percentagesOf([1000, 1])).toEqual([99, 1])
  for (const weights of [[1, 2, 3, 5, 7, 11, 13], Array.from({ length: 10 }, () => 7), [999, 1, 1, 1]]) {
    const shares = percentagesOf(weights)
    expect([weights, sum(shares), Math.min(...shares) > 0]).toEqual([weights, 100, true])
  }
})

test('L26.8: of two shares, the other becomes the rest; of more, the others stay', () => {
  expect(changeShare([50, 50], 0, 80)).toEqual([80, 20])
  expect(changeShare([50, 50], 1, null)).toEqual([50, null])
  expect(changeShare([50, 50], 1, 100)).toEqual([50, 100])
  expect(changeShare([34, 33, 33], 0, 80)).toEqual([80, 33, 33])
})

test('weights that were not changed are not rounded', () => {
  const parts = [1, 1, 1].map((weight) => ({ url: 'https://example.com/', weight }))
  expect(weightsOf([34, 33, 33], parts)).toEqual([1, 1, 1])
  expect(weightsOf([33, 34, 33], parts)).toEqual([33, 34, 33])
  expect(weightsOf([50, 50], undefined)).toEqual([50, 50])
})
