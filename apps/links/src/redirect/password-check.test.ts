import { expect, test } from 'bun:test'
import { PasswordCheck } from './password-check.ts'

function start() {
  const clock = { ms: 1_795_000_000_000 }
  let verified = 0
  const check = new PasswordCheck(
    async (_link, password) => {
      verified++
      return password === 'right'
    },
    () => clock.ms,
  )
  return { check, clock, verified: () => verified }
}

test('L26.4: a link takes a hundred wrong tries an hour, from whatever addresses, and then no password', async () => {
  const { check, clock, verified } = start()
  const results = await Promise.all(
    Array.from({ length: 120 }, (_, n) => check.check(1, `198.51.100.${n}`, 'wrong')),
  )
  expect(results.filter((result) => result === 'wrong')).toHaveLength(100)
  expect(await check.check(1, '203.0.113.1', 'right')).toEqual({ retryAfterSeconds: 3600 })
  expect(verified()).toBe(100)
  expect(await check.check(2, '203.0.113.1', 'right')).toBe('right')
  clock.ms += 3_600_000
  expect(await check.check(1, '203.0.113.1', 'right')).toBe('right')
})

test('L26.4: an address takes five wrong tries in any fifteen minutes, many at once included', async () => {
  const { check, clock } = start()
  expect(await check.check(1, 'a', 'wrong')).toBe('wrong')
  clock.ms += 600_000
  const results = await Promise.all(Array.from({ length: 9 }, () => check.check(1, 'a', 'wrong')))
  expect(results.filter((result) => result === 'wrong')).toHaveLength(4)
  expect(await check.check(1, 'a', 'right')).toEqual({ retryAfterSeconds: 300 })
  clock.ms += 300_000
  expect(await check.check(1, 'a', 'right')).toBe('right')
  expect(await check.check(1, 'a', 'wrong')).toBe('wrong')
  expect(await check.check(1, 'a', 'right')).toEqual({ retryAfterSeconds: 600 })
})

test('L26.4: right passwords never use tries up', async () => {
  const { check } = start()
  const results = await Promise.all(Array.from({ length: 5 }, () => check.check(1, 'a', 'right')))
  for (let n = 0; n < 200; n++) results.push(await check.check(1, 'a', 'right'))
  expect(new Set(results)).toEqual(new Set(['right']))
})
