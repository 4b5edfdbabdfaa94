import { expect, test } from 'bun:test'
import { PasswordCheck } from './password-check.ts'

function start() {
  const clock = { ms: 1_795_000_000_000 }
  const verified: string[] = []
  const passwords = {
    findHash: async (): Promise<string | undefined> => 'hash of right',
    isRight: async (password: string, hash: string | undefined) => {
      verified.push(password)
      await Promise.resolve()
      return hash === `hash of ${password.split(' ')[0]}`
    },
  }
  const check = new PasswordCheck(passwords, () => clock.ms)
  return { check, clock, passwords, verified }
}

test('L26.4f: a link takes a hundred wrong tries an hour, from whatever addresses, and then no password', async () => {
  const { check, clock, verified } = start()
  const results = await Promise.all(
    Array.from({ length: 120 }, (_, n) => check.check(1, `198.51.100.${n}`, 'wrong')),
  )
  expect(results.filter((result) => result === 'wrong')).toHaveLength(100)
  expect(await check.check(1, '203.0.113.1', 'right')).toEqual({ retryAfterSeconds: 3600 })
  expect(verified).toHaveLength(100)
  expect(await check.check(2, '203.0.113.1', 'right')).toBe('right')
  clock.ms += 3_600_000
  expect(await check.check(1, '203.0.113.1', 'right')).toBe('right')
})

test('L26.4f: an address takes five wrong tries in any fifteen minutes, many at once included', async () => {
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

test('L26.4g: right passwords never use tries up', async () => {
  const { check } = start()
  const results = await Promise.all(Array.from({ length: 5 }, () => check.check(1, 'a', 'right')))
  for (let n = 0; n < 200; n++) results.push(await check.check(1, 'a', 'right'))
  expect(new Set(results)).toEqual(new Set(['right']))
})

test('L26.4g: many right passwords at once from one address all pass, also beside wrong ones', async () => {
  const { check } = start()
  const tries = Array.from({ length: 40 }, (_, n) => check.check(1, 'a', n % 10 === 3 ? 'wrong' : 'right'))
  const results = await Promise.all(tries)
  expect(results.filter((result) => result === 'right')).toHaveLength(36)
  expect(results.filter((result) => result === 'wrong')).toHaveLength(4)
})

const failureOf = (check: PasswordCheck, address: string) =>
  check.check(1, address, 'right').catch(({ message }: Error) => message)

test('L26.4g: a try that could not be checked counts as none', async () => {
  const { check, passwords } = start()
  const { findHash, isRight } = passwords
  passwords.findHash = () => Promise.reject(new Error('frozen'))
  for (let n = 0; n < 120; n++) expect(await failureOf(check, `a${n % 3}`)).toBe('frozen')
  passwords.findHash = findHash
  passwords.isRight = () => Promise.reject(new Error('crashed'))
  for (let n = 0; n < 120; n++) expect(await failureOf(check, `a${n % 3}`)).toBe('crashed')
  passwords.isRight = isRight
  for (let n = 0; n < 3; n++) expect(await check.check(1, `a${n}`, 'right')).toBe('right')
})

test('L26.4: a database that does not answer holds up no check of another link', async () => {
  const { check, passwords } = start()
  const frozen = Promise.withResolvers<string>()
  passwords.findHash = (async (linkId: number) =>
    linkId === 1 ? frozen.promise : 'hash of right') as typeof passwords.findHash
  const waiting = check.check(1, 'a', 'right')
  expect(await check.check(2, 'a', 'right')).toBe('right')
  frozen.resolve('hash of right')
  expect(await waiting).toBe('right')
})

test('L26.4e: a flood delays neither its own network nor another one', async () => {
  const { check, verified } = start()
  const flood = Array.from({ length: 160 }, (_, n) =>
    check.check(n % 80, `198.51.100.${n % 40}`, `wrong ${n}`),
  )
  const own = check.check(90, '198.51.100.39', 'right own')
  const neighbour = check.check(90, '198.51.7.1', 'right neighbour')
  const other = check.check(90, '203.0.113.1', 'right other')
  const version6 = check.check(90, '2001:db8:1:2::/64', 'right 6')
  expect(await Promise.all([other, version6, neighbour, own])).toEqual(['right', 'right', 'right', 'right'])
  const place = (password: string) => verified.indexOf(password)
  expect(place('right other')).toBeLessThan(10)
  expect(place('right 6')).toBeLessThan(10)
  expect(place('right neighbour')).toBeLessThan(10)
  expect(place('right own')).toBeLessThan(40)
  await Promise.all(flood)
  expect(verified).toHaveLength(164)
})

test.each([
  ['one address', () => '198.51.100.1'],
  ['as many networks', (n: number) => `10.${n}.0.1`],
  ['half as many networks', (n: number) => `10.${n % 80}.0.1`],
])(
  'L26.4e: 160 wrong tries from %s delay a later try little, wherever it comes from',
  async (_, addressOf) => {
    for (const address of ['198.51.100.1', '203.0.113.1', '10.3.0.1']) {
      const { check, verified } = start()
      const flood = Array.from({ length: 160 }, (_each, n) => check.check(n % 80, addressOf(n), `wrong ${n}`))
      expect(await check.check(90, address, 'right')).toBe('right')
      expect([address, verified.length < 12]).toEqual([address, true])
      expect(new Set(await Promise.all(flood))).toEqual(new Set(['wrong']))
    }
  },
)

test('L26.4e: a try that waits is served, however many newer ones arrive', async () => {
  const { check, verified } = start()
  const flood = Array.from({ length: 20 }, (_, n) => check.check(n, `10.${n}.0.1`, 'wrong'))
  const waiting = check.check(90, '203.0.113.1', 'right')
  for (let n = 0; n < 400 && !verified.includes('right'); n++) {
    flood.push(
      check.check(200 + n, `11.${n % 256}.0.1`, 'wrong'),
      check.check(200 + n, `12.${n % 256}.0.1`, 'wrong'),
    )
    await Promise.resolve()
  }
  expect(await waiting).toBe('right')
  expect(verified.length).toBeLessThan(100)
  await Promise.all(flood)
})

test('L26.4e: a full queue refuses the network that fills it, and no other', async () => {
  const { check, verified } = start()
  const flood = Array.from({ length: 3_000 }, (_, n) => check.check(n, `198.51.${n % 7}.${n % 250}`, 'wrong'))
  const people = Array.from({ length: 20 }, (_, n) => check.check(5_000, `203.0.${n}.1`, 'right'))
  expect(new Set(await Promise.all(people))).toEqual(new Set(['right']))
  const results = await Promise.all(flood)
  expect(results.filter((result) => typeof result === 'object').length).toBeGreaterThan(1_990)
  expect(results).toContainEqual({ retryAfterSeconds: 5 })
  expect(verified.length).toBeLessThan(1_030)
})
