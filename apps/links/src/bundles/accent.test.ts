import { expect, test } from 'bun:test'
import { accentOfName, accents } from './accent.ts'

test('the accent of a bundle follows from its name, regardless of capitals and blanks around it', () => {
  expect(accentOfName(' Spring ')).toBe(accentOfName('spring'))
  expect(accents).toContain(accentOfName(''))
})

test('names of bundles are distributed over all accents', () => {
  const counts = new Map<string, number>()
  for (let n = 0; n < 500; n++) {
    const accent = accentOfName(`campaign ${n}`)
    counts.set(accent, (counts.get(accent) ?? 0) + 1)
  }
  expect(counts.size).toBe(accents.length)
  for (const count of counts.values()) expect(count).toBeGreaterThan(50)
})
