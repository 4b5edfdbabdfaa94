import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { readCookie } from './cookies.ts'

function read(cookie: string, name = 'a'): string[] {
  return readCookie(new Request('https://rooms.example.com/', { headers: { cookie } }), name)
}

describe('readCookie', () => {
  test('R10.2: finds a cookie at any position, and every value of a repeated one', () => {
    expect(read('a=1')).toEqual(['1'])
    expect(read('b=2; a=1;c=3')).toEqual(['1'])
    expect(read('a=1; b=2;\ta=3 ; a=')).toEqual(['1', '3', ''])
  })

  test('R10.2: does not match longer names or text in other values', () => {
    expect(read('aa=1; b=a=2; ba=3; A=4; a =5; xa=6')).toEqual([])
    expect(read('')).toEqual([])
  })

  test('R10.2: returns the same values as splitting at every semicolon', () => {
    const piece = fc.constantFrom('a', '=', ';', ' ', 'b', 'a=', '; ', '\t')
    const header = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('').trim())
    fc.assert(
      fc.property(header, (cookie) => {
        const split = cookie
          .split(';')
          .map((pair) => pair.trim())
          .filter((pair) => pair.startsWith('a='))
          .map((pair) => pair.slice(2).trim())
        expect(read(cookie)).toEqual(split)
      }),
    )
  })
})
