import { expect, test } from 'bun:test'
import { checkCode, checkDocument } from './vocabulary.ts'

test('a replaced word in an identifier, a comment or the name of a test is reported with its line', () => {
  const source = [
    'const told = 1 // Nobody reads it.',
    'class Bus { #tellAll() {} }',
    "test('whoever asks gets an answer', () => {})",
    'interface Row { MOST_ROWS: number }',
  ].join('\n')
  expect(checkCode('a.ts', source).toSorted()).toEqual([
    '1: Nobody',
    '1: told',
    '2: tellAll',
    '3: whoever',
    '4: MOST_ROWS',
  ])
})

test('names on the wire, texts and words that only contain a replaced word pass', () => {
  const source = [
    "const wire = { 'told': 'nobody is told', joined_at: 1, joinedAt: 2 }",
    'const [almost, isFound, foundation] = [1, 2, 3]',
    'const text = <p>Tell everybody</p> // An almanac',
  ].join('\n')
  expect(checkCode('a.tsx', source)).toEqual([])
})

test('a replaced word in a document is reported with its line, but not in code', () => {
  const source = ['# Title', '', '```console', '$ tell nobody', '```', '', 'It tells `nobody`.'].join('\n')
  expect(checkDocument(source)).toEqual(['7: tells'])
})
