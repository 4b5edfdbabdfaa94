import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { startTestLinks } from './testing.ts'

eachDialect((_dialect, newUrl) => {
  test('L1.1: a link created over the API redirects, and its click is counted before the next read', async () => {
    const links = await startTestLinks(await newUrl())
    const key = await links.key('ann@example.com')
    const made = await links.call('POST', '/links', {
      key,
      body: { url: 'https://example.com', slug: 'Hello' },
    })
    expect(made.status).toBe(201)

    const visit = await links.fetch('/hello')
    expect(visit.status).toBe(302)
    expect(visit.headers.get('location')).toBe('https://example.com/')

    const read = await links.call('GET', `/links/${made.body.id}`, { key })
    expect(read.body.total_clicks).toBe(1)
    expect(read.body.slugs.map((slug: { slug: string; click_count: number }) => slug.click_count)).toEqual([
      0, 1,
    ])
  })
})
