import { expect, test } from 'bun:test'
import { findMarks, indexedWords, searchedWords } from './words.ts'

/** Whether a message with this text matches the search. */
function matches(search: string, content: string): boolean {
  const words = searchedWords(search)
  const indexed = [...indexedWords(content)]
  return words.length > 0 && words.every((word) => indexed.some((entry) => entry.startsWith(word)))
}

/** The marked parts of the text. */
function marked(search: string, content: string): string[] {
  return findMarks(content, searchedWords(search)).map(([start, length]) =>
    content.slice(start, start + length),
  )
}

test('R32.1a: words match in any order, as beginnings of words, in any case', () => {
  expect(matches('FRI bla', 'Black Friday')).toBe(true)
  expect(matches('fri blue', 'Black Friday')).toBe(false)
  expect(matches('riday', 'Black Friday')).toBe(false)
  expect(matches('strasse', 'Die STRAẞE')).toBe(true)
  expect(matches('ÖSTER', 'österlånggatan')).toBe(true)
  for (const [search, content] of [
    ['oster', 'Österlånggatan'],
    ['cafe', 'Café'],
    ['CAFÉ', 'cafe'],
    ['istanbul', 'İstanbul ve ISPARTA'],
    ['isparta', 'ısparta'],
    ['محمد', 'مُحَمَّد'],
    ['שלום', 'שָׁלוֹם'],
    ['한국', '한국어'.normalize('NFD')],
    ['ガイド', 'ｶﾞｲﾄﾞ'],
    ["м'ята", 'мʼята'],
  ] as const)
    expect([search, matches(search, content)]).toEqual([search, true])
  expect(matches('か', 'が')).toBe(false)
  expect(matches('e\u0301te\u0301', 'Été')).toBe(true)
  expect(matches('ＡＢＣ', 'abc')).toBe(true)
})

test('R32.1c: punctuation separates words, and invisible characters do not', () => {
  for (const word of ['example', 'com', 'user', 'id', 'don', 'foo'])
    expect([word, matches(word, 'https://example.com/user_id?x=don’t, **foo**')]).toEqual([word, true])
  expect(matches('friday', 'fri\u200bday')).toBe(true)
  expect(matches('fri\u2060day', 'Friday')).toBe(true)
  for (const search of ['', ' ', '!!!', '\u200b', '"*"', '()'])
    expect([search, searchedWords(search)]).toEqual([search, []])
})

test('R32.1d: any part of a text without spaces is found, and so are symbols', () => {
  for (const part of ['東京', '京大', '東京大学', '大学', '学', 'です'])
    expect([part, matches(part, 'ここは東京大学です')]).toEqual([part, true])
  expect(matches('京東', 'ここは東京大学です')).toBe(false)
  expect(matches('สดี', 'สวัสดีครับ')).toBe(true)
  expect(matches('👍', 'Fine 👍🏽')).toBe(true)
  expect(matches('🇸🇪', 'From 🇸🇪')).toBe(true)
})

test('R32.1: the id in a mention is not a word', () => {
  const content = '<@01234567-89ab-4cde-8f01-23456789abcd> hello'
  expect([...indexedWords(content)]).toEqual(['hello'])
  expect(findMarks(content, ['hello'])).toEqual([[40, 5]])
})

test('R32.1f: marks are whole words, and in a text without spaces the parts, in UTF-16 units', () => {
  expect(marked('fri bla', 'Black 😀 Friday, frigate')).toEqual(['Black', 'Friday', 'frigate'])
  expect(findMarks('😀 Friday', ['fri'])).toEqual([[3, 6]])
  expect(marked('東京大学', 'ここは東京大学です')).toEqual(['東京大学'])
  expect(marked('fri', 'fri\u200bday')).toEqual(['fri\u200bday'])
  expect(marked('a', 'bcd')).toEqual([])
  expect(marked('cafe istan', 'ﬁne 😀 Cafe\u0301, İstanbul. ｃａｆés')).toEqual([
    'Cafe\u0301',
    'İstanbul',
    'ｃａｆés',
  ])
  expect(marked('ガイ', 'これはカ\u3099イト\u3099')).toEqual(['カ\u3099イ'])
})

test('R32.1e: long words, many words and many marks in a row are bounded', () => {
  const long = 'x'.repeat(10_000)
  expect(matches(long, long)).toBe(true)
  expect([...indexedWords(long)].join('')).toHaveLength(64)
  expect(searchedWords(Array.from({ length: 100 }, (_, n) => `w${n}`).join(' '))).toHaveLength(16)
  const many = Array.from({ length: 5_000 }, (_, n) => `w${n}`).join(' ')
  expect(indexedWords(many).size).toBe(2_000)
  const startedMs = performance.now()
  indexedWords('e' + '\u0301'.repeat(60_000))
  findMarks('京\u200b'.repeat(30_000), ['京'])
  expect(performance.now() - startedMs).toBeLessThan(2_000)
})
