import { expect, test } from 'bun:test'
import { withRegion } from './formats.ts'

test('dates follow the region of the browser where its language is that of the interface', () => {
  expect(withRegion('en', ['sv-SE', 'en-GB', 'en-US'])).toBe('en-GB')
  expect(withRegion('sv', ['sv-FI'])).toBe('sv-FI')
  expect(withRegion('en', ['en'])).toBe('en')
})

test('dates of another language have no region of the browser', () => {
  expect(withRegion('id', ['en-GB', 'sv-SE'])).toBe('id')
  expect(withRegion('en', ['eng-GB'])).toBe('en')
})
