import { afterEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { FROM_BROWSER } from '../actions.ts'
import { TestLinks, startTestLinks } from '../testing.ts'
import { Receiver } from './receiver.ts'

const ALLOWED = { LINKS_WEBHOOK_ALLOW: '127.0.0.1' }

eachDialect((dialect, newUrl) => {
  const receivers: Receiver[] = []
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.stop()
  })

  async function createReceiver(links: TestLinks, key: string, fields: object = {}): Promise<Receiver> {
    const receiver = new Receiver()
    receivers.push(receiver)
    const body = { url: receiver.url, ...fields }
    receiver.secrets = [(await links.call('POST', '/webhooks', { key, body })).body.secret]
    return receiver
  }

  test('L30.3: writes and clicks arrive as GET /events has them, from the creation of the webhook on', async () => {
    const links = await startTestLinks(await newUrl(), ALLOWED)
    const ann = await links.key('ann@example.com')
    await links.createLink(ann)
    const receiver = await createReceiver(links, await links.key('ben@example.com'))
    const { id } = await links.createLink(ann, { slug: 'pushed' })
    await links.call('PATCH', `/links/${id}`, { key: ann, body: { label: 'Later' } })
    await links.fetch('/pushed', FROM_BROWSER)
    await receiver.waitFor(3)
    await links.call('DELETE', `/links/${id}?force=true`, { key: ann })
    await receiver.waitFor(4)
    expect(receiver.types).toEqual(['link.created', 'link.updated', 'link.clicked', 'link.deleted'])
    expect(receiver.received.every(({ signedBy }) => signedBy[0] === 0)).toBe(true)
    const { body } = await links.call('GET', '/events?after=1', { key: ann })
    const pushed = receiver.received.map(({ body: text }) => JSON.parse(text) as { type: string })
    const isKept = ({ type }: { type: string }) => type !== 'link.clicked'
    // The clicks of a deleted link are deleted.
    expect(pushed.filter(isKept)).toEqual(body.events.filter(isKept))
  })

  test('L30.3b: a webhook of a bundle gets the events of the bundle and of its links, and the clicks of these', async () => {
    const links = await startTestLinks(await newUrl(), ALLOWED)
    const key = await links.key('ann@example.com')
    const create = async (name: string) =>
      (await links.call('POST', '/bundles', { key, body: { name } })).body.id as number
    const [spring, autumn] = [await create('Spring'), await create('Autumn')]
    const receiver = await createReceiver(links, key, { bundle: spring })
    const [member, other] = [await links.createLink(key), await links.createLink(key)]
    const add = (bundle: number, link: { id: number }) =>
      links.call('POST', `/bundles/${bundle}/links`, { key, body: { link_id: link.id } })
    await add(spring, member)
    await add(autumn, other)
    for (const { slugs } of [other, member, other]) await links.fetch(`/${slugs[0].slug}`, FROM_BROWSER)
    await receiver.waitFor(2)
    await links.call('PATCH', `/links/${other.id}`, { key, body: { label: 'Other' } })
    await links.call('PATCH', `/links/${member.id}`, { key, body: { label: 'Member' } })
    await links.call('DELETE', `/links/${member.id}?force=true`, { key })
    await links.call('DELETE', `/bundles/${autumn}`, { key })
    await links.call('DELETE', `/bundles/${spring}`, { key })
    await receiver.waitFor(5)
    expect(receiver.types).toEqual([
      'bundle.link_added',
      'link.clicked',
      'link.updated',
      'link.deleted',
      'bundle.deleted',
    ])
    const clicks = receiver.received[1]?.data['clicks'] as { link_id: number }[]
    expect(clicks.map((click) => click.link_id)).toEqual([member.id])
  })

  if (dialect === 'sqlite') return

  test('L30.4g: of two running nodes one delivers each event, and the other goes on when it stops', async () => {
    const url = await newUrl()
    const [here, there] = [new TestLinks(), await startTestLinks(url, ALLOWED)]
    await here.start(url, ALLOWED)
    const key = await here.key('ann@example.com')
    const all = await Promise.all(Array.from({ length: 6 }, () => createReceiver(here, key)))
    for (let count = 0; count < 10; count++) await (count % 2 ? here : there).createLink(key)
    for (const receiver of all) await receiver.waitFor(10)
    await here.close()
    for (let count = 0; count < 10; count++) await there.createLink(key)
    for (const receiver of all) await receiver.waitFor(20)
    for (const { seqs } of all) expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  })

  test('L30.3, L30.4h: a node whose clock is ahead writes leases and waits by the clock of the database', async () => {
    const ahead = new TestLinks()
    const machineNow = () => Date.now() + 120_000
    await ahead.start(await newUrl(), ALLOWED, { now: undefined, machineNow })
    const { receiver } = await createFailingReceiver(ahead)
    await receiver.waitFor(1)
    let waits: Wait[] = []
    while (waits.length === 0) waits = await ahead.rows<Wait>(WAITS)
    const [{ attempt_in, lease_in } = { attempt_in: 0, lease_in: 0 }] = waits
    expect(attempt_in).toBeWithin(1, 8)
    expect(lease_in).toBeLessThanOrEqual(30)
    expect(receiver.received[0]?.at).toBeLessThan(Date.now() / 1000 + 60)
    const warned = { message: 'clock: of this machine differs from that of the database', secondsAhead: 120 }
    expect(ahead.log).toContainEqual(expect.objectContaining(warned))
    await ahead.close()
    await receiver.stop()
  })

  async function createFailingReceiver(service: TestLinks): Promise<{ receiver: Receiver }> {
    const key = await service.key('ann@example.com')
    const receiver = new Receiver()
    receiver.answer = () => new Response('', { status: 500 })
    const { status } = await service.call('POST', '/webhooks', { key, body: { url: receiver.url } })
    expect(status).toBe(201)
    await service.createLink(key)
    return { receiver }
  }
})

interface Wait {
  attempt_in: number
  lease_in: number
}

const WAITS = `select next_attempt_at - extract(epoch from clock_timestamp()) as attempt_in,
  lease_until - extract(epoch from clock_timestamp()) as lease_in from webhook where failures > 0`
