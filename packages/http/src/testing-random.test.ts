import { expect, test } from 'bun:test'
import { Random } from './testing-random.ts'

const choices = (random: Random) => Array.from({ length: 20 }, () => random.next())

test('a seed repeats its choices, and another seed makes others', () => {
  expect(choices(new Random('7'))).toEqual(choices(new Random('7')))
  expect(choices(new Random('7'))).not.toEqual(choices(new Random('8')))
})

test('the choices of a fork do not depend on how many its source has made', () => {
  const [fresh, used] = [new Random('7'), new Random('7')]
  choices(used)
  expect(choices(used.fork('writer 1'))).toEqual(choices(fresh.fork('writer 1')))
  expect(choices(fresh.fork('writer 2'))).not.toEqual(choices(fresh.fork('writer 1')))
})

test('choices are spread over their whole range and stay in it', () => {
  const random = new Random('7')
  const picked = Array.from({ length: 1_000 }, () => random.pick(['a', 'b', 'c']))
  expect(new Set(picked)).toEqual(new Set(['a', 'b', 'c']))
  for (let count = 0; count < 1_000; count++) expect(random.between(5, 9)).toBeWithin(5, 9)
  expect([random.chance(0), random.chance(1)]).toEqual([false, true])
})
