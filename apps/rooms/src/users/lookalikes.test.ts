import { expect, test } from 'bun:test'
import { MAX_GRAPHEMES } from '../identity/display-name.ts'
import { skeleton } from './lookalikes.ts'

test('R14.6c: names that can be confused have the same skeleton', () => {
  for (const [name, ...imitations] of [
    ['Alice', 'alice', 'АIiсе', 'A1ice', 'Ａｌｉｃｅ', 'Ali\u200bce', 'Álicé', '𝐀𝐥𝐢𝐜𝐞', 'Ⓐlice', 'A|ice'],
    ['Bo Modin', 'Bo rnodin', 'Во Моdin', 'B0 Modin', 'Bσ Modin'],
    ['Walter', 'vvalter', 'Ԝalter'],
    ['Мария', 'мария', 'Mapия'],
    // Other characters between or around the letters.
    ['Ann A', 'Anna', 'A.n.n.a', 'Ann-a', '~Anna~', 'Anna 🙂', '«Anna»', 'An_na'],
    // Letters that look like punctuation, marks, and other widths.
    ['Bob', 'Bobʼ', 'ʻBob', 'Boʹb', 'Bobˈ', 'Bobꞌ', 'Bobᑊ', 'Bobˮ', 'Bobː', 'Bobߴ', 'Bobꓸ', 'Bobـ', 'Bobʔ'],
    [
      'Bob',
      'Bobー',
      '一Bob',
      'Bobי',
      'ノBob',
      'Bob\u0315',
      'B\u20ddob',
      'Bob\u3164',
      'Bob\u2800',
      'Ｂｏｂ＇',
    ],
    // The suffix by which a room distinguishes users, typed by the users themselves.
    ['Olga', 'Olga #10fa', 'Olga#10fа', 'Olga ＃10FA', 'Olga #10fa #77ab'],
  ] as const)
    for (const each of imitations) expect([each, skeleton(each)]).toEqual([each, skeleton(name)])
})

test('R14.6c: names that cannot be confused have different skeletons, and no skeleton is empty', () => {
  const names = [
    'Alice',
    'Alicia',
    'Bob',
    'Ann',
    'Anna',
    'Åke 2',
    'Åke 4',
    '小明',
    '小红',
    '🙂',
    '🙃',
    'ユーコ',
    'ユコ',
    '一郎',
    '郎',
    'דויד',
    'דוד',
    'أحمد',
    'محمد',
    '2',
    '4',
    'Room #12',
    'Room #cafes',
    '#3f9a',
    '#3f9b',
  ]
  expect(new Set(names.map(skeleton)).size).toBe(names.length)
  for (const name of [...names, '\u0301', '\u200b']) expect(skeleton(name)).not.toBe('')
})

test('R14.6: the longest skeleton fits into an index of PostgreSQL', () => {
  // The letter that expands to the most: eighteen.
  expect(Buffer.byteLength(skeleton('\ufdfa'.repeat(MAX_GRAPHEMES)))).toBeLessThan(2_704)
})
