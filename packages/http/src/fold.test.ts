import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { foldText } from './fold.ts'

test('forms of a letter that people search for alike have one fold', () => {
  for (const [fold, ...forms] of [
    ['cafe', 'Café', 'CAFÉ', 'Cafe\u0301', 'ｃａｆé', '𝐂𝐚𝐟𝐞', 'ca\u200bfe', 'ca\u00adfé'],
    ['istanbul', 'İstanbul', 'ISTANBUL', 'ıstanbul', 'İSTANBUL', 'i\u0307stanbul'],
    ['strasse', 'Straße', 'STRAẞE', 'STRASSE'],
    ['οδοσ', 'Οδός', 'ΟΔΌΣ', 'οδοσ'],
    ['елка', 'Ёлка', 'ЕЛКА'],
    ['smorrebrod lodz aero', 'Smørrebrød Łódź Ærø'],
    ['محمد', 'مُحَمَّد', 'محمـــد'],
    ['احمد', 'أحمد', 'إحمد'],
    ['שלום', 'שָׁלוֹם', 'שׁלום'],
    ['한국', '한국', '한국'.normalize('NFD')],
    ['ガイド', 'ｶﾞｲﾄﾞ', 'カ\u3099イト\u3099'],
    ['nguyen thi', 'Nguyễn Thị'],
    ["o'brien", 'O’Brien', 'Oʼbrien'],
    ['office', 'oﬃce'],
  ] as const)
    for (const form of forms) expect([form, foldText(form)]).toEqual([form, fold])
})

test('marks that are parts of letters remain', () => {
  for (const [one, other] of [
    ['かき', 'がき'],
    ['はは', 'ぱぱ'],
    ['กี', 'กา'],
    ['कि', 'का'],
    ['한', '하'],
  ] as const)
    expect(foldText(one)).not.toBe(foldText(other))
})

test('a fold of a fold changes nothing, and a long row of marks takes no time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      expect(foldText(foldText(text))).toBe(foldText(text))
    }),
    { numRuns: 2_000 },
  )
  const startedMs = performance.now()
  foldText('e' + '\u0301\u0316'.repeat(100_000))
  expect(performance.now() - startedMs).toBeLessThan(2_000)
})
