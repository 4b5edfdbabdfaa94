import { describe, expect, test } from 'bun:test'
import { groupOf, methodOf, snake, walkerOf } from './names.ts'

describe('an operation is called', () => {
  test.each([
    ['createLink', '/links', 'links', 'create'],
    ['listLinks', '/links', 'links', 'list'],
    ['getLink', '/links/{id}', 'links', 'get'],
    ['getLinkAnalytics', '/links/{id}/analytics', 'links', 'analytics'],
    ['getLinkQr', '/links/{id}/qr', 'links', 'qr'],
    ['addSlug', '/links/{id}/slugs', 'links', 'addSlug'],
    ['setPrimarySlug', '/links/{id}/slugs/{slug}/primary', 'links', 'setPrimarySlug'],
    ['listBundlesForLink', '/links/{id}/bundles', 'links', 'listBundles'],
    ['addSlugToLink', '/slugs', 'slugs', 'add'],
    ['getLinkBySlug', '/slugs/{slug}', 'slugs', 'getLink'],
    ['disableSlugBySlug', '/slugs/{slug}/disable', 'slugs', 'disable'],
    ['setPrimarySlugBySlug', '/slugs/{slug}/primary', 'slugs', 'setPrimary'],
    ['listBundleLinks', '/bundles/{id}/links', 'bundles', 'listLinks'],
    ['removeLinkFromBundle', '/bundles/{id}/links/{linkId}', 'bundles', 'removeLink'],
    ['unarchiveBundle', '/bundles/{id}/unarchive', 'bundles', 'unarchive'],
  ])('%s of %s: %s.%s', (operationId, path, group, method) => {
    expect(groupOf(path)).toBe(group)
    expect(methodOf(operationId, group)).toBe(method)
  })
})

test('the method that iterates over all pages is named after the method of one page', () => {
  expect(['list', 'listLinks', 'breakdown'].map(walkerOf)).toEqual([
    'listAll',
    'listAllLinks',
    'breakdownAll',
  ])
})

test('Python names are in snake case', () => {
  expect(['linkId', 'setPrimarySlug', 'tz', 'link_id'].map(snake)).toEqual([
    'link_id',
    'set_primary_slug',
    'tz',
    'link_id',
  ])
})

test('a path without a resource is refused', () => {
  for (const path of ['/', '/{id}/links'])
    expect(() => groupOf(path)).toThrow('does not begin with a resource')
})
