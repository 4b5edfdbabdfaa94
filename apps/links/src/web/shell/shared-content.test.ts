import { expect, test } from 'bun:test'
import { toNewLink } from './shared-content.ts'

test('L47.2: a shared URL is found in its field or at the end of the text, and the title is the label', () => {
  expect(toNewLink('Spring', ['', 'https://example.com/a'])).toEqual({
    url: 'https://example.com/a',
    label: 'Spring',
  })
  expect(toNewLink('', ['Look at www.example.com/b and\nhttps://example.com/c', null])).toEqual({
    url: 'https://example.com/c',
  })
  expect(toNewLink('https://example.com/d', [null, null])).toEqual({ url: 'https://example.com/d' })
  expect(toNewLink('No address', ['at all', ''])).toEqual({ label: 'No address' })
})
