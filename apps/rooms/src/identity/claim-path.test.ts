import { expect, test } from 'bun:test'
import { parseClaimPath, readClaim } from './claim-path.ts'

test('C79: a path with an empty part, too many parts or an inherited member is refused', () => {
  for (const path of [
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    '__proto__',
    'a.__proto__.b',
    'constructor',
    'a.constructor',
    'prototype.a',
    'a\u0000b',
    'a.b.c.d.e.f.g.h.i.j.k',
  ])
    expect([path, parseClaimPath(path)]).toEqual([path, undefined])
  for (const path of ['a', 'a.b.c.d.e.f.g.h.i.j', 'https://idp\\.example/roles', 'protos'])
    expect(parseClaimPath(path)?.whole).toBe(path)
})

test('C66 C79: own members of claims are read, whatever their name', () => {
  const claims = JSON.parse('{"a":{"__proto__":{"b":1},"toString":"own"},"list":[["x"]]}')
  const read = (path: string) => readClaim(claims, parseClaimPath(path)!)
  expect(read('a.toString')).toBe('own')
  expect(read('a.b')).toBeUndefined()
  expect(read('a.valueOf')).toBeUndefined()
  expect(read('list.0.0')).toBe('x')
  expect(read('list.0.00')).toBeUndefined()
  expect(read('list.length')).toBeUndefined()
})
