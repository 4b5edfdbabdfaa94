import { describe, expect, test } from 'bun:test'
import type { ImportRow } from './import-row.ts'
import { type ExistingLinks, Spellings, planRow, linkKey } from './plan.ts'

const slug = (name: string) => ({ slug: name, createdAt: 1, disabledAt: null })

function row(changes: Partial<ImportRow> = {}): ImportRow {
  const custom = changes.custom ?? [slug('promo')]
  const key = custom[0]?.slug ?? changes.auto?.slug ?? null
  return {
    url: 'https://example.com/a',
    domain: null,
    label: null,
    createdAt: 1,
    expiresAt: null,
    disabledAt: null,
    createdBy: 'ada@example.com',
    auto: null,
    custom,
    legacyPaths: [],
    key,
    primary: custom[0]?.slug ?? null,
    tags: [],
    behaviour: null,
    notes: [],
    ...changes,
  }
}

function existingLinks(urlOf: Record<string, string> = {}, links: ImportRow[] = []): ExistingLinks {
  return {
    urlOf: new Map(Object.entries(urlOf)),
    ownerOf: new Map(),
    links: new Set(links.map(linkKey)),
    spellings: new Spellings(),
  }
}

describe('planRow', () => {
  test('a row with free slugs is imported, and exists from then on', () => {
    const state = existingLinks()
    expect(planRow(row(), state).result).toBe('imported')
    expect(planRow(row(), state).result).toBe('skipped')
    expect(planRow(row({ url: 'https://example.com/b' }), state).result).toBe('conflict')
  })

  test('a slug that already has the same destination is skipped, one with another destination is a conflict', () => {
    expect(planRow(row(), existingLinks({ promo: 'https://example.com/a' })).result).toBe('skipped')
    const verdict = planRow(row(), existingLinks({ promo: 'https://example.com/b' }))
    expect(verdict).toEqual({
      result: 'conflict',
      reason: {
        code: 'slug_taken',
        slug: 'promo',
        url: 'https://example.com/b',
        text: 'slug "promo" already redirects to https://example.com/b',
      },
    })
  })

  test('one taken custom slug makes the whole row a conflict, because no slug may be dropped silently', () => {
    const state = existingLinks({ second: 'https://example.com/a' })
    expect(planRow(row({ custom: [slug('promo'), slug('second')] }), state).result).toBe('conflict')
    expect(state.urlOf.has('promo')).toBe(false)
  })

  test('an automatic slug is kept if it is free, else replaced and reported', () => {
    expect(planRow(row({ auto: slug('ab3d') }), existingLinks())).toEqual({
      result: 'imported',
      auto: slug('ab3d'),
    })
    expect(planRow(row({ auto: slug('ab3d') }), existingLinks({ ab3d: 'https://example.com/x' }))).toEqual({
      result: 'imported',
      auto: null,
      reason: {
        code: 'auto_slug_changed',
        slug: 'ab3d',
        text: 'automatic slug "ab3d" is taken, the link gets a new one',
      },
    })
  })

  test('the automatic slug of a row without other slugs decides between skipped and conflict', () => {
    const bare = row({ custom: [], auto: slug('ab3d') })
    expect(planRow(bare, existingLinks({ ab3d: bare.url })).result).toBe('skipped')
    expect(planRow(bare, existingLinks({ ab3d: 'https://example.com/x' })).result).toBe('conflict')
    expect(planRow(bare, existingLinks({}, [bare])).result).toBe('imported')
  })

  test('a row without slugs is skipped if its owner has a link to the URL, but not if only others have one', () => {
    const bare = row({ custom: [] })
    const state = existingLinks({}, [bare])
    expect(planRow(bare, state).result).toBe('skipped')
    const other = row({ custom: [], createdBy: 'bob@example.com' })
    expect(planRow(other, state).result).toBe('imported')
    expect(planRow(other, state).result).toBe('skipped')
  })
})
