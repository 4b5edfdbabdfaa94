import { expect, test } from 'bun:test'
import { DestinationUrl, normaliseUrl } from './destination-url.ts'

test('blanks, tabs and line ends around a destination are dropped, those inside are refused or kept', () => {
  for (const blanks of [' ', '\t', '\r\n', ' \n\t \r '])
    expect(DestinationUrl.parse(`${blanks}https://a.example/x y${blanks}`)).toBe('https://a.example/x y')
  for (const refused of ['', ' ', ' \t\r\n ', 'https://a.example/\ty', '\vhttps://a.example/', '\u00a0'])
    expect(DestinationUrl.safeParse(refused).success).toBe(false)
})

test('slashes at the end are dropped, those inside are kept', () => {
  expect(normaliseUrl('https://a.example//x///')).toBe('https://a.example//x')
  expect(normaliseUrl('https://a.example///')).toBe('https://a.example')
  expect(normaliseUrl('https:///')).toBe('https:///')
})

test('many blanks or slashes inside a destination take no longer to parse than other text', () => {
  const read = (text: string) => () => DestinationUrl.safeParse(text)
  const other = fastest(read(`https://a.example/${'x'.repeat(30_000)}y`))
  expect(fastest(read(`https://a.example/${' '.repeat(30_000)}y`))).toBeLessThan(50 * other)
  const name = fastest(() => normaliseUrl(`https://a.example/${'x'.repeat(30_000)}y`))
  expect(fastest(() => normaliseUrl(`https://a.example/${'/'.repeat(30_000)}y`))).toBeLessThan(50 * name)
})

/** Milliseconds. */
function fastest(work: () => unknown): number {
  const runs = Array.from({ length: 5 }, () => {
    const startedAt = performance.now()
    work()
    return performance.now() - startedAt
  })
  return Math.min(...runs)
}
