import { expect, test } from 'bun:test'
import { splitMarks } from './marks.ts'

const hits = (text: string, search: string) =>
  splitMarks(text, search).flatMap(({ part, isHit }) => (isHit ? [part] : []))

test('each word of a search is marked wherever it occurs, in any case', () => {
  expect(hits('Black Friday: the blackest', 'friday BLACK')).toEqual(['Black', 'Friday', 'black'])
  expect(hits('ÅRSREA', 'års')).toEqual(['ÅRS'])
})

test('symbols of a search mark themselves only', () => {
  expect(hits('a.b+c (x) 100%', 'a.b+c (x)')).toEqual(['a.b+c', '(x)'])
  expect(hits('axb', 'a.b')).toEqual([])
  expect(hits('anything', ' ')).toEqual([])
})

test('the parts of a text are the text', () => {
  const text = 'go/spring-sale'
  expect(
    splitMarks(text, 'sp sale spring')
      .map(({ part }) => part)
      .join(''),
  ).toBe(text)
  expect(hits(text, 'sp spring')).toEqual(['spring'])
})
