import { beforeAll, expect } from 'bun:test'
import { clickLink } from '../actions.ts'
import { type Reply, sharedTestLinks } from '../testing.ts'
import { ann, ben, createToolCaller, settings } from './assistants.ts'

const GOOGLE = 'https://www.google.com/'

export const signedInAs = (identity: string) => ({ headers: { 'X-Forwarded-Email': identity } })

/**
 * A service with two links of Ann, the first in a bundle, both with clicks. `asAnn` and `asBen` call
 * a tool with the key of that person.
 */
export function shareToolService(newUrl: () => Promise<string>) {
  const links = sharedTestLinks(newUrl, { ...settings, LINKS_COUNTRY_HEADER: 'CF-IPCountry' })
  const keys = { ann: '', ben: '' }
  const asAnn = createToolCaller(links, () => keys.ann)
  const asBen = createToolCaller(links, () => keys.ben)
  const created: { first: Reply['body']; second: Reply['body']; bundleId: number } = {
    first: undefined,
    second: undefined,
    bundleId: 0,
  }

  /** Returns the answer of the admin API to Ann, with her filters and default range. */
  async function readAsAnn(path: string): Promise<unknown> {
    const { status, body } = await links.callAdmin('GET', path, signedInAs(ann))
    expect([path, status]).toEqual([path, 200])
    return body
  }

  beforeAll(async () => {
    keys.ann = await links.key(ann)
    keys.ben = await links.key(ben)
    created.first = (
      await asAnn('create_link', { url: 'https://example.com/first', custom_slug: 'first' })
    ).value
    created.second = (
      await asAnn('create_link', { url: 'https://example.com/second', label: 'Second' })
    ).value
    created.bundleId = (await asAnn('create_bundle', { name: 'Spring', icon: '🌷' })).value.id
    await asAnn('add_link_to_bundle', { bundle_id: created.bundleId, link_id: created.first.id })
    await clickLink(links, 'first', { 'CF-IPCountry': 'SE', Referer: GOOGLE })
    await clickLink(links, 'first', { 'CF-IPCountry': 'SE' })
    await clickLink(links, 'first', { 'CF-IPCountry': 'ID', 'User-Agent': 'Googlebot/2.1' })
    await clickLink(links, created.second.slugs[0].slug, {
      'CF-IPCountry': 'DE',
      Referer: 'https://news.example.org/x',
    })
  })

  return { links, asAnn, asBen, created, readAsAnn }
}
