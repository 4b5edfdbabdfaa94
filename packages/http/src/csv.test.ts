import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { escapeFormulas, unescapeFormulas } from './csv.ts'

const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠']

test('L21.8: a cell that a spreadsheet would execute is escaped', () => {
  for (const cell of ['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠A'])
    expect(escapeFormulas(cell)).toBe(`'${cell}`)
  for (const blank of ['\t', '\r', '\n']) expect(escapeFormulas(`${blank}=1`)).toBe(`'${blank}'=1`)
})

test('L21.8: text that a reader which splits at semicolons, tabs or line ends takes for a cell is escaped too', () => {
  for (const sign of SIGNS) {
    for (const separator of [';', '\t', '\n', '\r'])
      expect(escapeFormulas(`a${separator}${sign}1`)).toBe(`a${separator}'${sign}1`)
    expect(escapeFormulas(`a;;${sign}1;b\t${sign}2`)).toBe(`a;;'${sign}1;b\t'${sign}2`)
    expect(escapeFormulas(`a;"${sign}1`)).toBe(`a;'"${sign}1`)
  }
})

test('other cells stay unchanged', () => {
  for (const cell of ['', 'a=1', "it's", "'quoted'", '1-1', ' =1', 'a;b', 'a; =1', 'a,=1', "a;'b"])
    expect(escapeFormulas(cell)).toBe(cell)
})

const cells = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom(`'`, '"', '=', '-', '＋', '@', 'a', ';', '\t', '\r', '\n') }),
)

test('unescaping an escaped cell returns the original', () => {
  fc.assert(fc.property(cells, (text) => unescapeFormulas(escapeFormulas(text)) === text))
})

test('no escaped cell begins as a formula, nor does a part of it after a semicolon, a tab or a line end', () => {
  const isFormula = (part: string) => /^"*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(part)
  const parts = (text: string) => escapeFormulas(text).split(/[;\t\r\n]/)
  fc.assert(fc.property(cells, (text) => !parts(text).slice(1).some(isFormula)))
  fc.assert(
    fc.property(cells, (text) => !/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(escapeFormulas(text))),
  )
})
