import { afterEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { until } from '../test-database.ts'
import { createEventSource } from '../../src/webhooks/source.ts'
import { type TestLinks, startTestLinks } from '../testing.ts'
import { Receiver } from '../webhooks/receiver.ts'

const SETTINGS = {
  LINKS_WEBHOOK_ALLOW: '127.0.0.1',
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '127.0.0.1',
}

interface Event {
  seq: number
  type: string
  data: { count?: number; first?: number; last?: number; via?: string; link?: { primary_slug: string } }
}

eachDialect((_dialect, newUrl) => {
  const receivers: Receiver[] = []
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.stop()
  })

  const start = async () => startTestLinks(await newUrl(), SETTINGS)

  async function receive(links: TestLinks, key: string, fields: object): Promise<Receiver> {
    const receiver = new Receiver()
    receivers.push(receiver)
    await links.call('POST', '/webhooks', { key, body: { url: receiver.url, ...fields } })
    return receiver
  }

  async function importRows(links: TestLinks, count: number) {
    const rows = Array.from({ length: count }, (_, n) => `https://example.com/${n},row-${n},spring`)
    const response = await links.fetch('/_/admin/api/import?format=csv&bundles_from_tags=true', {
      method: 'POST',
      headers: { 'X-Forwarded-Email': 'ann@example.com' },
      body: ['url,slug,tags', ...rows].join('\n'),
    })
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ bad: 0 })])
  }

  const read = async (links: TestLinks, key: string, query: string): Promise<Event[]> =>
    (await links.call('GET', `/events?after=0&limit=500${query}`, { key })).body.events

  test('L48.6: who chooses link.imported gets it in the place of all events of the import, and all others get these', async () => {
    const links = await start()
    const key = await links.key('ann@example.com')
    const types = ['link.imported', 'link.created', 'bundle.created']
    const [chosen, plain] = [await receive(links, key, { types }), await receive(links, key, {})]
    await importRows(links, 30)
    const { id } = await links.createLink(key, { slug: 'by-hand' })
    await until('the last event arrives', () => chosen.received.some(({ data }) => data['link_id'] === id))
    await until('all arrive', () => plain.received.some(({ data }) => data['link_id'] === id))
    expect(chosen.types).toEqual(['link.imported', 'link.created'])
    expect(plain.types.filter((type) => type === 'link.created')).toHaveLength(31)
    expect(plain.types).not.toContain('link.imported')
    const { body: webhooks } = await links.call('GET', '/webhooks', { key })
    const path = `/webhooks/${webhooks[0].id}/deliveries`
    const { body: deliveries } = await links.call('GET', path, { key })
    const { body: first } = await links.call('GET', `${path}/${deliveries.at(-1).id}`, { key })
    expect(first.request.body).toBe(chosen.received[0]?.body)
    const all = await read(links, key, '')
    expect(all.map(({ seq }) => seq)).toEqual(plain.seqs as number[])
    const { data } = (await read(links, key, `&types=${types.join(',')}`))[0] as Event
    const byImport = all.filter((event) => event.data.via === 'import')
    expect(data).toMatchObject({
      via: 'import',
      count: 30,
      first: byImport[0]?.seq,
      last: byImport.at(-1)?.seq,
    })
  })

  test('L48.6a: a webhook of a bundle gets the events of its imported links instead', async () => {
    const links = await start()
    const key = await links.key('ann@example.com')
    await importRows(links, 1)
    const { body } = await links.call('GET', '/bundles', { key })
    const types = ['link.imported', 'bundle.link_added']
    const receiver = await receive(links, key, { bundle: body[0].id, types })
    await importRows(links, 3)
    await until('both rows arrive', () => receiver.received.length >= 2)
    expect(receiver.types).toEqual(['bundle.link_added', 'bundle.link_added'])
    const chosen = { position: 0, types: JSON.stringify(['link.imported']), bundle_id: body[0].id }
    const next = await createEventSource(links.database).findNext(chosen)
    expect(next.message).toBeUndefined()
  })
})
