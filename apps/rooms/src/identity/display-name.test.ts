import { expect, test } from 'bun:test'
import { cleanName, truncateToGraphemes } from './display-name.ts'

test('C84: a name loses its invisible characters and no visible ones', () => {
  for (const [name, clean] of [
    ['Alice', 'Alice'],
    ['  Alice  ', 'Alice'],
    ['Alice\u00a0\u2003 B', 'Alice B'],
    ['Alice\r\nB\tC', 'Alice B C'],
    ['\u0000A\u0007l\u007fi\u009fce', 'Alice'],
    // Overrides, embeddings, isolates and direction marks.
    ['\u202eAlice\u202c \u2066B\u2069\u200e\u200f\u061c', 'Alice B'],
    ['A\u200bl\u200ci\u200dc\u2060e\ufeff', 'Alice'],
    ['Al\u00adi\u034fce\u180e', 'Alice'],
    ['\u115f\u1160\u3164\uffa0\u17b4\ufe0f', ''],
    ['A\u{e0041}\u{e0001}l', 'Al'],
    ['A\ufff9l\ufffbi', 'Ali'],
    ['A\u2028B\u2029C', 'A B C'],
    ['\u2800A\u2800B', 'A B'],
    ['A\ud800B\udc00', 'AB'],
    ['', ''],
    [' \u200b ', ''],
    // NFC, also for characters that a removed one separated.
    ['e\u0301', 'é'],
    ['e\u200d\u0301', 'é'],
    ['A \u200b B', 'A B'],
    ['نرگس', 'نرگس'],
    ['प्रिया', 'प्रिया'],
    ['山田太郎', '山田太郎'],
    ["O'Brien-Łukasz", "O'Brien-Łukasz"],
  ] as const)
    expect([name, cleanName(name)]).toEqual([name, clean])
})

test('C84: joiners and other parts of emoji stay', () => {
  for (const emoji of ['👨‍👩‍👧‍👦', '👩🏽‍💻', '🏳️‍🌈', '🏳‍🌈', '❤️‍🔥', '❤‍🔥', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', '🇸🇪', '👍🏿', '❤️'])
    expect([emoji, cleanName(`A${emoji}B`)]).toEqual([emoji, `A${emoji}B`])
  expect(cleanName('👩\u200d')).toBe('👩')
  expect(cleanName('👩\u200dA')).toBe('👩A')
  expect(cleanName('A\u200d👩')).toBe('A👩')
})

test('C84: cleaning a clean name does not change it', () => {
  for (const name of ['Al\u200b ice', '👨‍👩‍👧 x\u200d', 'e\u200d\u0301', 'ᄀ\u115fᅡ', '\u2800 a'])
    expect(cleanName(cleanName(name))).toBe(cleanName(name))
})

test('C84: a name is cut between graphemes', () => {
  const family = '👨‍👩‍👧‍👦'
  expect(truncateToGraphemes(family.repeat(65))).toBe(family.repeat(64))
  expect(truncateToGraphemes('e\u0323\u0302'.repeat(70), 2)).toBe('e\u0323\u0302'.repeat(2))
  expect(truncateToGraphemes(`${'x'.repeat(63)} yz`)).toBe('x'.repeat(63))
  expect(truncateToGraphemes('x'.repeat(64))).toBe('x'.repeat(64))
  expect(truncateToGraphemes('')).toBe('')
})

test('C84: combining marks do not make a name arbitrarily long', () => {
  expect(truncateToGraphemes(`Al${'\u0300'.repeat(100_000)}`)).toBe('A')
  // The input to normalise is limited as well.
  expect(cleanName('x'.repeat(2049))).toBe('x'.repeat(2048))
  // An index counts bytes of UTF-8.
  expect(truncateToGraphemes('a'.repeat(1_000_000), 5000)).toHaveLength(2048)
  expect(truncateToGraphemes('語'.repeat(1_000_000), 5000)).toHaveLength(682)
})

test('C84: a name keeps thirty consecutive marks, even if invisible characters separated more', () => {
  const marks = '\u0316'.repeat(20)
  expect(cleanName(`x${marks}${marks}`)).toBe(`x${marks}${marks.slice(0, 10)}`)
  expect(cleanName(`x${marks}\u200b${marks}`)).toBe(`x${marks}${marks.slice(0, 10)}`)
})
