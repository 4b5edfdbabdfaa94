import { expect, test } from 'bun:test'
import { formatView, parseView } from './view.ts'

const EMPTY = { range: undefined, window: undefined, compare: 'previous', filters: [] } as const

test('a view survives its address, with several values of a filter and the empty one', () => {
  const view = {
    range: '7d',
    window: undefined,
    compare: 'year',
    filters: [
      { dimension: 'country', value: 'SE' },
      { dimension: 'country', value: '' },
      { dimension: 'referrer', value: 'https://a.example/?q=1&b=ö' },
      { dimension: 'slug', value: 'Æ+ %41' },
      { dimension: 'link', value: '7' },
    ],
  } as const
  expect(parseView(formatView(view))).toEqual(view)
  expect(formatView(EMPTY)).toBe('')
})

test('a custom window replaces the range', () => {
  const address = formatView({ ...EMPTY, range: '7d', window: { from: 10, to: 20 } })
  expect(address).toBe('from=10&to=20')
  expect(parseView(address)).toEqual({ ...EMPTY, window: { from: 10, to: 20 } })
})

test('invalid parts of an address are ignored', () => {
  for (const search of [
    'range=2d',
    'from=20&to=10',
    'from=1',
    'from=-1&to=5',
    'from=1e3&to=9999',
    'compare=x',
    'planet=mars',
    'link=x&bundle=',
  ])
    expect([search, parseView(search)]).toEqual([search, EMPTY])
  expect(parseView('country=SE&country=SE').filters).toEqual([{ dimension: 'country', value: 'SE' }])
})
