import { expect, test } from 'bun:test'
import { readUtm, writeUtm } from './utm.ts'

test('a UTM value is written into the query, encoded, before the fragment', () => {
  expect(writeUtm('https://example.com/a#b?c', 'source', 'news & more')).toBe(
    'https://example.com/a?utm_source=news%20%26%20more#b?c',
  )
  expect(readUtm('https://example.com/a?utm_source=news%20%26%20more#b?c', 'source')).toBe('news & more')
})

test('writing a UTM value leaves every other character of the URL as it was', () => {
  const url = 'https://example.com/%7Ea?b=1%20+2&utm_medium=mail&c&d=é#e'
  expect(writeUtm(url, 'medium', 'post')).toBe('https://example.com/%7Ea?b=1%20+2&utm_medium=post&c&d=é#e')
  expect(writeUtm(url, 'medium', '')).toBe('https://example.com/%7Ea?b=1%20+2&c&d=é#e')
  expect(writeUtm(url, 'term', '')).toBe(url)
})

test('removing the last parameter removes the question mark', () => {
  expect(writeUtm('https://example.com?utm_term=x', 'term', '')).toBe('https://example.com')
})
