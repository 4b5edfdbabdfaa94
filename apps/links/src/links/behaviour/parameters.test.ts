import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { beginsWithParameter, fillParameters, parseParameters } from './parameters.ts'

const fill = (location: string, path: string) =>
  fillParameters(new URL(location).href, parseParameters(path) ?? [])

test('L47.3: {path} is all that follows the slug, {1} to {9} are its segments, and a missing one is nothing', () => {
  expect(fill('https://git.example/pull/{1}', '123')).toBe('https://git.example/pull/123')
  expect(fill('https://git.example/{path}', 'a/b c/å')).toBe('https://git.example/a/b%20c/%C3%A5')
  expect(fill('https://git.example/{2}?q={1}#{PATH}', 'a/b')).toBe('https://git.example/b?q=a#a%2Fb')
  expect(fill('https://git.example/{1}/{2}', 'a/')).toBe('https://git.example/a/')
  expect(fill('https://git.example/x{path}', '')).toBe('https://git.example/x')
  expect(fill('https://git.example/{10}{0}', 'a')).toBe('https://git.example/%7B10%7D%7B0%7D')
})

test('L47.3b: a visitor’s text is encoded, and one with dots, that is too long or no UTF-8 fills nothing', () => {
  expect(fill('https://git.example/a/{1}', '%2Fb%3Fc%23d%5C')).toBe('https://git.example/a/%2Fb%3Fc%23d%5C')
  for (const path of ['..', 'a/../b', '%2e%2E/b', '.', 'a%2F..', '..%5Cb', '%ff', 'x'.repeat(513)])
    expect([path, parseParameters(path)]).toEqual([path, undefined])
  expect(parseParameters('x'.repeat(512))).toHaveLength(1)
})

test('L47.3b: a destination that would be longer than 8 KiB is filled with nothing', () => {
  const location = `https://git.example/${'{path}'.repeat(100)}`
  expect(fill(location, 'å'.repeat(80))).toBe('https://git.example/')
  expect(fill(location, 'a')).toBe(`https://git.example/${'a'.repeat(100)}`)
})

test('L47.3b: no text of a visitor changes the host or leaves the folder of a destination', () => {
  const locations = fc.constantFrom(
    'https://{1}.own.example/in/{path}',
    'https://user{1}@own.example/in/{1}/{2}',
    'https://own.example/in/{path}?q={path}#{1}',
  )
  const path = fc.string({ unit: fc.constantFrom(...'ab/.%2eEfF5C\\@:?#å\0\n '.split('')), maxLength: 40 })
  fc.assert(
    fc.property(locations, path, (written, text) => {
      const location = URL.parse(written)?.href
      const parameters = parseParameters(text)
      if (location === undefined || parameters === undefined) return
      const target = new URL(fillParameters(location, parameters))
      expect(target.host).toBe(new URL(location).host)
      expect(target.pathname).toStartWith('/in/')
      expect(target.href).toMatch(/^[!-~]*$/)
    }),
    { numRuns: 5_000 },
  )
})

test('only a placeholder in the first segment lets a visitor choose it', () => {
  const begins = (url: string) => beginsWithParameter(new URL(url).href)
  expect(['https://a.example/{1}', 'https://a.example/x{path}?b'].map(begins)).toEqual([true, true])
  expect(['https://a.example/b/{1}', 'https://a.example/?{1}', 'https://a.example'].map(begins)).toEqual([
    false,
    false,
    false,
  ])
})
