import { describe, expect, test } from 'bun:test'
import type { ImportRow } from './import-row.ts'
import { type Known, judge, linkKey } from './plan.ts'

const slug = (name: string) => ({ slug: name, createdAt: 1, disabledAt: null })

function row(changes: Partial<ImportRow> = {}): ImportRow {
  const custom = changes.custom ?? [slug('promo')]
  const key = custom[0]?.slug ?? changes.auto?.slug ?? null
  return {
    url: 'https://example.com/a',
    label: null,
    createdAt: 1,
    expiresAt: null,
    disabledAt: null,
    createdBy: 'ada@example.com',
    auto: null,
    custom,
    key,
    primary: custom[0]?.slug ?? null,
    tags: [],
    ...changes,
  }
}

function known(urlOf: Record<string, string> = {}, links: ImportRow[] = []): Known {
  return { urlOf: new Map(Object.entries(urlOf)), ownerOf: new Map(), links: new Set(links.map(linkKey)) }
}

describe('judge', () => {
  test('a row whose slugs are free is imported, and is known from then on', () => {
    const state = known()
    expect(judge(row(), state).result).toBe('imported')
    expect(judge(row(), state).result).toBe('skipped')
    expect(judge(row({ url: 'https://example.com/b' }), state).result).toBe('conflict')
  })

  test('a slug that leads to the URL already is skipped, one that leads elsewhere is a conflict', () => {
    expect(judge(row(), known({ promo: 'https://example.com/a' })).result).toBe('skipped')
    const verdict = judge(row(), known({ promo: 'https://example.com/b' }))
    expect(verdict).toEqual({
      result: 'conflict',
      reason: 'slug "promo" is taken, it leads to https://example.com/b',
    })
  })

  test('one taken custom slug makes the whole row a conflict, so that none is dropped in silence', () => {
    const state = known({ second: 'https://example.com/a' })
    expect(judge(row({ custom: [slug('promo'), slug('second')] }), state).result).toBe('conflict')
    expect(state.urlOf.has('promo')).toBe(false)
  })

  test('an automatic slug is kept when it is free, and replaced and told of when it is not', () => {
    expect(judge(row({ auto: slug('ab3d') }), known())).toEqual({ result: 'imported', auto: slug('ab3d') })
    expect(judge(row({ auto: slug('ab3d') }), known({ ab3d: 'https://example.com/x' }))).toEqual({
      result: 'imported',
      auto: null,
      reason: 'automatic slug "ab3d" is taken, the link has a fresh one',
    })
  })

  test('a row with nothing but an automatic slug is skipped or a conflict by that slug', () => {
    const bare = row({ custom: [], auto: slug('ab3d') })
    expect(judge(bare, known({ ab3d: bare.url })).result).toBe('skipped')
    expect(judge(bare, known({ ab3d: 'https://example.com/x' })).result).toBe('conflict')
    expect(judge(bare, known({}, [bare])).result).toBe('imported')
  })

  test('a row without slugs is skipped when its owner, and nobody else, has a link to the URL', () => {
    const bare = row({ custom: [] })
    const state = known({}, [bare])
    expect(judge(bare, state).result).toBe('skipped')
    const other = row({ custom: [], createdBy: 'bob@example.com' })
    expect(judge(other, state).result).toBe('imported')
    expect(judge(other, state).result).toBe('skipped')
  })
})
