import { expect, test } from 'bun:test'
import { parseUrlInput } from './url-input.ts'

test('text with a scheme, a path or www. is a URL', () => {
  for (const url of ['https://example.com', 'HTTP://example.com/a b', 'ftp://example.com'])
    expect(parseUrlInput(` ${url}\n`)).toBe(url)
  for (const url of ['example.com/path?x=1', 'www.example.com', 'räksmörgås.se/', 'localhost.test:8080/x'])
    expect(parseUrlInput(url)).toBe(`https://${url}`)
})

test('words, names with dots and code are search terms', () => {
  for (const text of [
    '',
    'spring',
    'spring sale',
    'example.com',
    'report.pdf',
    'and/or',
    'javascript:alert(1)',
    '<b>/x',
    'v1.2 /x',
  ])
    expect(parseUrlInput(text)).toBeUndefined()
})
