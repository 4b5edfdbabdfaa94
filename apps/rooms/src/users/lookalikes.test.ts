import { expect, test } from 'bun:test'
import { MAX_GRAPHEMES } from '../login/display-name.ts'
import { skeleton } from './lookalikes.ts'

test('names that can be taken for each other have the same skeleton', () => {
  for (const [name, ...imitations] of [
    ['Alice', 'alice', 'АIiсе', 'A1ice', 'Ａｌｉｃｅ', 'Ali\u200bce', 'Álicé', '𝐀𝐥𝐢𝐜𝐞', 'Ⓐlice', 'A|ice'],
    ['Bo Modin', 'Bo rnodin', 'Во Моdin', 'B0 Modin', 'Bσ Modin'],
    ['Walter', 'vvalter', 'Ԝalter'],
    ['Мария', 'мария', 'Mapия'],
    // Whatever stands between the letters, or around them.
    ['Ann A', 'Anna', 'A.n.n.a', 'Ann-a', '~Anna~', 'Anna 🙂', '«Anna»', 'An_na'],
    // The suffix by which a room tells people apart, written by themselves.
    ['Olga', 'Olga #10fa', 'Olga#10fа', 'Olga ＃10FA', 'Olga #10fa #77ab'],
  ] as const)
    for (const each of imitations) expect([each, skeleton(each)]).toEqual([each, skeleton(name)])
})

test('names that nobody takes for each other have different ones, and none is empty', () => {
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

test('the longest of them fits into an index of PostgreSQL', () => {
  // Of all single letters, this one becomes the most of them: eighteen.
  expect(Buffer.byteLength(skeleton('\ufdfa'.repeat(MAX_GRAPHEMES)))).toBeLessThan(2_704)
})
