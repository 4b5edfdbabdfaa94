import { expect, test } from 'bun:test'
import { messageOf, until } from '../../../test/test-database.ts'
import { PasswordThread } from './password-thread.ts'
import { hashPassword, isPassword } from './password.ts'

test('L26.4c: a password is stored as Argon2id, and matches however its letters are composed', async () => {
  const hash = await hashPassword('å secret')
  expect(hash).toStartWith('$argon2id$')
  expect(hash).not.toContain('secret')
  expect(await isPassword('å secret'.normalize('NFD'), hash)).toBe(true)
  expect(await isPassword('å Secret', hash)).toBe(false)
  expect(await isPassword('', undefined)).toBe(false)
})

test('L26.4d: passwords are checked one after another, on a thread that ends when none come', async () => {
  const thread = new PasswordThread(5)
  const hash = String(await thread.run({ hash: 'right' }))
  const entered = ['wrong', 'right', 'Right', 'right']
  const results = await Promise.all(entered.map((verify) => thread.run({ verify, hash })))
  expect(results).toEqual([false, true, false, true])
  expect(thread.isOpen).toBe(true)
  await until('the thread has ended', () => !thread.isOpen)
  expect(await thread.run({ verify: 'right', hash })).toBe(true)
})

test('L26.4: a hash that cannot be read fails, and the next password is checked', async () => {
  const hash = await hashPassword('right')
  expect(await messageOf(isPassword('right', '$argon2id$broken'))).toContain('A password cannot be checked')
  expect(await isPassword('right', hash)).toBe(true)
})
