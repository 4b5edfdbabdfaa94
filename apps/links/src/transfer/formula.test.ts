import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { defuse, undefuse } from './formula.ts'

test('a cell that a spreadsheet would run is shown as text instead', () => {
  for (const cell of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A'])
    expect(defuse(cell)).toBe(`'${cell}`)
})

test('other cells stay as they are', () => {
  for (const cell of ['', 'a=1', "it's", "'quoted'", '1-1', ' =1']) expect(defuse(cell)).toBe(cell)
})

test('what was defused comes back exactly, whatever the cell was', () => {
  const cell = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("'", '=', '-', '+', '@', 'a', '\t') }))
  fc.assert(fc.property(cell, (text) => undefuse(defuse(text)) === text))
})

test('no defused cell begins as a formula', () => {
  const cell = fc.string({ unit: fc.constantFrom("'", '=', '-', '+', '@', 'a', '\r') })
  fc.assert(fc.property(cell, (text) => !/^[=+\-@\t\r\n]/.test(defuse(text))))
})
