import { expect, spyOn, test } from 'bun:test'
import { hashPassword, isPassword } from './password.ts'

test('L26.4: a password is stored as Argon2id, and matches however its letters are composed', async () => {
  const hash = await hashPassword('å secret')
  expect(hash).toStartWith('$argon2id$')
  expect(hash).not.toContain('secret')
  expect(await isPassword('å secret'.normalize('NFD'), hash)).toBe(true)
  expect(await isPassword('å Secret', hash)).toBe(false)
  expect(await isPassword('', undefined)).toBe(false)
})

test('L26.4: at most two passwords are checked at a time, and the others wait', async () => {
  let running = 0
  let largest = 0
  const verify = spyOn(Bun.password, 'verify').mockImplementation(async () => {
    largest = Math.max(largest, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return true
  })
  const results = await Promise.all(Array.from({ length: 20 }, () => isPassword('any', 'hash')))
  verify.mockRestore()
  expect([results.length, largest]).toEqual([20, 2])
})
