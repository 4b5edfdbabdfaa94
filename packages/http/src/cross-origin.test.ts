import { describe, expect, test } from 'bun:test'
import { isCrossOriginSubrequest } from './cross-origin.ts'

const sent = (headers: Record<string, string>) =>
  isCrossOriginSubrequest(new Request('https://go.example.com/_/api/links', { headers }))

const from = (site: string, mode: string, dest: string, more = {}) =>
  sent({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': dest, ...more })

describe('isCrossOriginSubrequest', () => {
  test('is true for requests of a page of another origin that stays open', () => {
    for (const site of ['cross-site', 'same-site'])
      for (const [mode, dest] of [
        ['no-cors', 'image'],
        ['no-cors', 'script'],
        ['no-cors', 'empty'],
        ['cors', 'empty'],
        ['navigate', 'iframe'],
        ['navigate', 'object'],
        ['navigate', 'empty'],
      ] as const)
        expect([site, mode, dest, from(site, mode, dest)]).toEqual([site, mode, dest, true])
    expect(from('cross-site', 'navigate', 'document', { 'Sec-Purpose': 'prefetch' })).toBe(true)
  })

  test('is false for followed links, our own pages and typed addresses', () => {
    for (const site of ['cross-site', 'same-site', 'same-origin', 'none'])
      expect([site, from(site, 'navigate', 'document')]).toEqual([site, false])
    for (const site of ['same-origin', 'none'])
      for (const [mode, dest] of [
        ['no-cors', 'image'],
        ['cors', 'empty'],
        ['navigate', 'iframe'],
      ] as const)
        expect([site, mode, dest, from(site, mode, dest)]).toEqual([site, mode, dest, false])
  })

  test('is false for clients other than browsers', () => {
    expect(sent({})).toBe(false)
    expect(sent({ 'Sec-Fetch-Site': 'cross-site' })).toBe(false)
  })
})
