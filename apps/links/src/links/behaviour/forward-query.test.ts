import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { forwardQuery } from './forward-query.ts'

test('L26.2: the query follows that of the target, before its fragment', () => {
  for (const [target, query, result] of [
    ['https://a.example/', '?a=1', 'https://a.example/?a=1'],
    ['https://a.example/?b=2', '?a=1&c', 'https://a.example/?b=2&a=1&c'],
    ['https://a.example/?b=2&', '?a=1', 'https://a.example/?b=2&a=1'],
    ['https://a.example/?', '?a=1', 'https://a.example/?a=1'],
    ['https://a.example/#part?x', '?a=1', 'https://a.example/?a=1#part?x'],
    ['https://a.example/?b=2#part', '?a=1', 'https://a.example/?b=2&a=1#part'],
    ['https://a.example/', null, 'https://a.example/'],
    ['https://a.example/', '?', 'https://a.example/'],
    ['https://a.example/', '?&&', 'https://a.example/'],
  ] as const)
    expect([target, query, forwardQuery(target, query, 'all')]).toEqual([target, query, result])
})

test('L26.2: a name that the target has is neither replaced nor repeated, however it is spelled', () => {
  const target = 'https://a.example/?redirect_uri=https%3A%2F%2Fown.example&sig=%2b%2F&a=1&a=2&b+c=3'
  const query = '?redirect_uri=https://evil.example&%72edirect_uri=x&sig=1&%61=9&b%20c=4&new=1'
  expect(forwardQuery(target, query, 'all')).toBe(`${target}&new=1`)
})

test('L26.2: with utm, only names that begin with utm_ are forwarded', () => {
  const query = '?utm_source=a&UTM_MEDIUM=b&x=utm_term&utm_=c&xutm_term=d'
  expect(forwardQuery('https://a.example/', query, 'utm')).toBe('https://a.example/?utm_source=a&utm_=c')
})

test('L26.2: more than 4,096 bytes are not forwarded at all', () => {
  const pair = (length: number) => `a=${'x'.repeat(length - 2)}`
  const target = 'https://a.example/?b=1'
  expect(forwardQuery(target, `?${pair(4096)}`, 'all')).toBe(`${target}&${pair(4096)}`)
  expect(forwardQuery(target, `?${pair(4097)}`, 'all')).toBe(target)
  expect(forwardQuery(target, `?c=1&${pair(4093)}`, 'all')).toBe(target)
})

test('L26.2: whatever the query is, the target keeps its host, its bytes and its fragment', () => {
  const targets = fc.constantFrom(
    'https://a.example/',
    'https://a.example/p?redirect_uri=%2F&a=1&a=2#f',
    'https://a.example/#f',
  )
  const text = fc.string({ unit: fc.constantFrom(...'?#&=/@:\\%a1\r\n å'.split('')), maxLength: 30 })
  fc.assert(
    fc.property(targets, text, fc.constantFrom('utm', 'all'), (target, query, mode) => {
      const location = forwardQuery(target, `?${query}`, mode)
      const [head = '', fragment] = target.split('#')
      expect(location.startsWith(head)).toBe(true)
      expect(new URL(location).origin).toBe('https://a.example')
      expect(new URL(location).pathname).toBe(new URL(target).pathname)
      expect(location.split('#')[1]).toBe(fragment as string)
      // Such a character would end the header.
      expect(location).toMatch(/^[!-~]+$/)
    }),
    { numRuns: 2_000 },
  )
})
