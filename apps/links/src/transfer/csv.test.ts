import { expect, test } from 'bun:test'
import { readCsv } from './csv.ts'
import type { Reason } from './reason.ts'
import { fileOf } from './testing.ts'

const NO_URL: Reason = { code: 'column_missing', text: 'no url' }

async function read(text: string | Uint8Array, pieceBytes?: number) {
  const records: { line: number; cells?: (string | undefined)[]; problem?: Reason }[] = []
  for await (const record of readCsv(fileOf(text, pieceBytes), ({ has }) =>
    has('url') ? undefined : NO_URL,
  ))
    records.push(
      'problem' in record
        ? record
        : { line: record.line, cells: ['url', 'label', 'nothing'].map((name) => record.value(name)) },
    )
  return records
}

test('a record has the number of its first line, with line ends in cells and blank lines counted', async () => {
  const text = 'url,label\r\na,"one\r\ntwo\nthree"\r\n\r\n\r\nb,plain\nc,"four\n\nfive"\nd,last'
  expect(await read(text)).toEqual([
    { line: 2, cells: ['a', 'one\r\ntwo\nthree', undefined] },
    { line: 7, cells: ['b', 'plain', undefined] },
    { line: 8, cells: ['c', 'four\n\nfive', undefined] },
    { line: 11, cells: ['d', 'last', undefined] },
  ])
})

test('chunks of any size give the same result', async () => {
  const text = '\ufeffURL,Label\r\nå,"ä ""ö"""\r\nb,\r\n'
  const whole = await read(text, 1000)
  expect(whole).toEqual([
    { line: 2, cells: ['å', 'ä "ö"', undefined] },
    { line: 3, cells: ['b', '', undefined] },
  ])
  for (const pieceBytes of [1, 2, 3, 5]) expect(await read(text, pieceBytes)).toEqual(whole)
})

test('header names match regardless of case, blanks, underscores and hyphens', async () => {
  for (const name of ['url', 'URL', ' Url ', '"U_R L"', 'u-r-l', '\ufeffurl'])
    expect(await read(`${name},label\na,b`)).toEqual([{ line: 2, cells: ['a', 'b', undefined] }])
})

test('the first of two columns with the same name counts', async () => {
  expect(await read('url,label,URL\na,b,c')).toEqual([{ line: 2, cells: ['a', 'b', undefined] }])
})

const fieldCount = (fields: number, text: string): Reason => ({
  code: 'field_count',
  fields,
  expected: 2,
  text,
})

test('records with too few or too many cells are reported and the others are still read', async () => {
  expect(await read('url,label\na\nb,c,d\ne,f')).toEqual([
    { line: 2, problem: fieldCount(1, 'has 1 fields, but the header has 2') },
    { line: 3, problem: fieldCount(3, 'has 3 fields, but the header has 2') },
    { line: 4, cells: ['e', 'f', undefined] },
  ])
})

test('records of blank cells, which spreadsheets append, are skipped', async () => {
  expect(await read('url,label\n,\n  ,\na,b\n,\n')).toEqual([{ line: 4, cells: ['a', 'b', undefined] }])
})

test('a stray quote is an ordinary character and affects no other record', async () => {
  expect(await read('url,label\na,he said "hi"\nb,"q"x\nc,d')).toEqual([
    { line: 2, cells: ['a', 'he said "hi"', undefined] },
    { line: 3, cells: ['b', '"q"x', undefined] },
    { line: 4, cells: ['c', 'd', undefined] },
  ])
})

test('a quote without an end is reported with the line of its record', async () => {
  expect(await read('url,label\na,b\n\nc,"d\ne,f\n')).toEqual([
    { line: 2, cells: ['a', 'b', undefined] },
    { line: 4, problem: { code: 'quote_not_closed', text: 'a closing quote is missing here or below' } },
  ])
})

test('a refused header ends the reading', async () => {
  expect(await read('a,b\nc,d\ne,f')).toEqual([{ line: 1, problem: NO_URL }])
})

test('a header with more columns than any program has is refused', async () => {
  const header = (columns: number) =>
    ['url', ...Array.from({ length: columns - 1 }, (_, at) => `c${at}`)].join(',')
  expect(await read(`${header(1_000)}\n`)).toEqual([])
  const problem: Reason = {
    code: 'too_many_columns',
    max: 1000,
    text: 'the file has more than 1000 columns',
  }
  expect(await read(`${header(1_001)}\na`)).toEqual([{ line: 1, problem }])
})

test('an empty file is a problem, a header without records is none', async () => {
  expect(await read('')).toEqual([
    {
      line: 1,
      problem: {
        code: 'file_empty',
        text: 'the file has no header row',
      },
    },
  ])
  expect(await read('url,label\n')).toEqual([])
})

test('bytes that are not UTF-8 become NUL in their own cell, and its neighbours are read', async () => {
  const latin1 = Buffer.from('url,label\r\na,b\r\nc,"sm\xf6rg\xe5s"\r\nd,e\r\n', 'latin1')
  for (const pieceBytes of [1, 16, 1000])
    expect(await read(latin1, pieceBytes)).toEqual([
      { line: 2, cells: ['a', 'b', undefined] },
      { line: 3, cells: ['c', 'sm\0rg\0s', undefined] },
      { line: 4, cells: ['d', 'e', undefined] },
    ])
})

test('a replacement character in the file is ordinary text', async () => {
  expect(await read('url,label\na,\ufffd\n')).toEqual([{ line: 2, cells: ['a', '\ufffd', undefined] }])
})

test('a file in UTF-16 is refused as a whole', async () => {
  const utf16 = Buffer.from('\ufeffurl,label\na,b\n', 'utf16le')
  expect(await read(utf16)).toEqual([
    { line: 1, problem: { code: 'file_not_utf8', text: 'the file is not UTF-8 text; save it as UTF-8' } },
  ])
})

test('columns are separated by the commas, semicolons or tabs that the header has most of outside quotes', async () => {
  for (const text of [
    '\ufeff\r\n"url";"label";"a, ""b"", c, d"\r\nx;y,z;1\r\n',
    'url\tlabel\tnothing;more\nx\ty,z\t\n',
    'url,label,a;b\nx,"y,z",\n',
  ])
    for (const pieceBytes of [1, 7, 1000])
      expect((await read(text, pieceBytes)).map(({ cells }) => cells?.slice(0, 2))).toEqual([['x', 'y,z']])
})
