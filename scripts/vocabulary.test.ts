import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { AMBIGUOUS, checkCode, checkDocument, readReplacedWords } from './vocabulary.ts'

test('a replaced word in an identifier, a comment or the name of a test is reported with its line', () => {
  const source = [
    'const told = 1 // Nobody reads it.',
    'class Bus { #tellAll() {} }',
    "test('whoever asks gets an answer', () => {})",
    'interface Row { MOST_ROWS: number }',
    "testOnSqlite('it is told once', () => {})",
  ].join('\n')
  expect(checkCode('a.ts', source).toSorted()).toEqual([
    '1: Nobody',
    '1: told',
    '2: tellAll',
    '3: whoever',
    '4: MOST_ROWS',
    '5: told',
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

test('the second words are reported too', () => {
  const source = [
    'const led = 1 // It is gone.',
    "test('no write closes a ring', () => {})",
    'let bar = 1',
  ].join('\n')
  expect(checkCode('a.ts', source).toSorted()).toEqual(['1: gone', '1: led', '2: ring'])
})

test('bars of keyboards and charts pass, and one that keeps a person out does not', () => {
  expect(checkDocument('The space bar, a bar chart, five bars.\nA bar on a guest.')).toEqual(['2: bar'])
})

test('a comment that begins with a pronoun is reported, and its later lines are not', () => {
  const source = [
    '/** Those of this transaction. */',
    '/**',
    ' * What is left.',
    ' */',
    '// Nothing without any.',
    '// Rows of a link, and',
    '// Of its slugs, too: a sentence may go on with any word.',
    '/** The count includes those of this transaction. */',
  ].join('\n')
  expect(checkCode('a.ts', source)).toEqual(['1: Those', '2: What is', '5: Nothing'])
})

test('each word that the glossary replaces is refused, or has another meaning', async () => {
  const words = readReplacedWords(await Bun.file(join(import.meta.dirname, '../docs/glossary.md')).text())
  expect(words).toContain('turnstile')
  expect(words).toContain('short link')
  for (const word of words)
    expect([word, AMBIGUOUS.has(word)]).toEqual([word, checkDocument(word).length === 0 || word === 'bar'])
  expect([...AMBIGUOUS].filter((word) => !words.includes(word))).toEqual([])
})
