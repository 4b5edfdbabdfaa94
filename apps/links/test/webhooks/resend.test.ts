import { afterEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { until } from '../test-database.ts'
import { type TestLinks, startTestLinks } from '../testing.ts'
import { Receiver } from './receiver.ts'

interface Listed {
  id: number
  seq: number | null
  attempt: number
  status: number | null
  delivered: boolean
}

interface Header {
  name: string
  value: string
}

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const receivers: Receiver[] = []
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.stop()
  })

  async function start() {
    const links = await startTestLinks(await newUrl(), { LINKS_WEBHOOK_ALLOW: '127.0.0.1' })
    const key = await links.key('ann@example.com')
    const receiver = new Receiver()
    receivers.push(receiver)
    const { body } = await links.call('POST', '/webhooks', { key, body: { url: receiver.url } })
    receiver.secrets = [body.secret]
    const path = `/webhooks/${body.webhook.id}`
    const get = async (rest = '') => (await links.call('GET', path + rest, { key })).body
    /** The attempts that are stored, the latest first, once there are so many. */
    const deliveries = async (count: number): Promise<Listed[]> => {
      const list = async (): Promise<Listed[]> => get('/deliveries')
      await until(`${count} deliveries are stored`, async () => (await list()).length >= count)
      return list()
    }
    const resend = (id: number) => links.call('POST', `${path}/deliveries/${id}/resend`, { key })
    return { links, key, receiver, path, get, deliveries, resend }
  }

  const deleteEvents = (links: TestLinks) =>
    links.database.write((tx) => tx.deleteFrom('event').where('seq', '<=', 1).execute())

  test('L48.1: a delivery shows the request with its headers and body, and the list of deliveries does not', async () => {
    const { links, key, receiver, get, deliveries } = await start()
    await links.createLink(key, { slug: 'shown' })
    await receiver.waitFor(1)
    const [listed] = await deliveries(1)
    expect(listed).not.toHaveProperty('request')
    const { request, ...delivery } = await get(`/deliveries/${listed?.id}`)
    expect(delivery).toEqual(listed)
    const [received] = receiver.received
    expect(request).toMatchObject({ url: receiver.url, body: received?.body })
    const headers = new Headers(request.headers.map(({ name, value }: Header) => [name, value]))
    expect(headers.get('webhook-id')).toBe(received?.id ?? '')
    expect(headers.get('webhook-timestamp')).toBe(String(received?.timestamp))
    expect(headers.get('webhook-signature')).toMatch(/^v1,/)
    await deleteEvents(links)
    expect((await get(`/deliveries/${listed?.id}`)).request).toMatchObject({ url: receiver.url, body: null })
  })

  testOnSqlite('L48.1a: deliveries are those of one’s own webhooks, each of its own webhook', async () => {
    const { links, key, path, get, deliveries } = await start()
    await links.call('POST', `${path}/test`, { key })
    const [sent] = await deliveries(1)
    const { request } = await get(`/deliveries/${sent?.id}`)
    expect(JSON.parse(request.body)).toMatchObject({ type: 'webhook.test', seq: null })
    const other = await links.call('POST', '/webhooks', { key, body: { url: 'https://other.example/' } })
    const ben = await links.key('ben@example.com')
    const wrong = `/webhooks/${other.body.webhook.id}/deliveries/${sent?.id}`
    await links.expectRefusal('GET', wrong, { key }, [404, 'Delivery not found'])
    await links.expectRefusal('POST', `${wrong}/resend`, { key }, [404, 'Delivery not found'])
    const foreign = `${path}/deliveries/${sent?.id}`
    await links.expectRefusal('GET', foreign, { key: ben }, [404, 'Webhook not found'])
    await links.expectRefusal('POST', `${foreign}/resend`, { key: ben }, [404, 'Webhook not found'])
  })

  test('L48.2: a delivery is sent again at once with its id, newly signed, and the position stays', async () => {
    const { links, key, receiver, get, deliveries, resend } = await start()
    await links.createLink(key, { slug: 'first' })
    await links.createLink(key, { slug: 'second' })
    await receiver.waitFor(2)
    const stored = await deliveries(2)
    const first = stored.find(({ seq }) => seq === 1)
    const { position } = await get()
    const { status, body } = await resend(first?.id ?? 0)
    expect([status, body]).toEqual([200, expect.objectContaining({ seq: 1, attempt: 2, delivered: true })])
    expect(receiver.received[2]).toEqual({ ...receiver.received[0], timestamp: links.now } as never)
    expect(receiver.received[2]?.signedBy).toEqual([0])
    expect(receiver.received).toHaveLength(3)
    expect(await get()).toMatchObject({ position, failing_since: null })
    expect((await deliveries(3)).map(({ seq }) => seq)).toEqual([1, 2, 1])
  })

  testOnSqlite(
    'L48.2a: an event that is not stored any more is not sent, and the answer says so',
    async () => {
      const { links, key, receiver, deliveries, resend, path } = await start()
      await links.createLink(key)
      await receiver.waitFor(1)
      const [stored] = await deliveries(1)
      await deleteEvents(links)
      const resendPath = `${path}/deliveries/${stored?.id}/resend`
      await links.expectRefusal('POST', resendPath, { key }, [
        410,
        'The event of this delivery is not stored any more',
      ])
      await links.call('POST', `${path}/test`, { key })
      const [sent] = await deliveries(2)
      await resend(sent?.id ?? 0)
      expect(receiver.received.map(({ type }) => type)).toEqual([
        'link.created',
        'webhook.test',
        'webhook.test',
      ])
      expect(receiver.received[2]?.id).toBe(receiver.received[1]?.id ?? '')
    },
  )

  testOnSqlite(
    'L48.1, L48.2a: an event that is none of the present bundle has no body and is not sent',
    async () => {
      const { links, key, receiver, path, get, deliveries } = await start()
      await links.createLink(key)
      await receiver.waitFor(1)
      const [stored] = await deliveries(1)
      const { body: bundle } = await links.call('POST', '/bundles', { key, body: { name: 'Spring' } })
      await receiver.waitFor(2)
      expect((await links.call('PATCH', path, { key, body: { bundle: bundle.id } })).status).toBe(200)
      expect((await get(`/deliveries/${stored?.id}`)).request.body).toBeNull()
      await links.expectRefusal('POST', `${path}/deliveries/${stored?.id}/resend`, { key }, [
        410,
        'The event of this delivery is not stored any more',
      ])
      expect(receiver.types).toEqual(['link.created', 'bundle.created'])
    },
  )

  testOnSqlite('L48.2b: resending counts towards the ten tests a minute of a person', async () => {
    const { links, key, path, deliveries, resend } = await start()
    await links.call('POST', `${path}/test`, { key })
    const [sent] = await deliveries(1)
    for (let count = 0; count < 9; count++) expect((await resend(sent?.id ?? 0)).status).toBe(200)
    expect((await resend(sent?.id ?? 0)).status).toBe(429)
  })

  test('L48.3: a failing webhook has its last error, until a resent event is accepted and the others follow', async () => {
    const { links, key, receiver, path, get, deliveries, resend } = await start()
    let isDown = true
    receiver.answer = () => (isDown ? new Response('out of order', { status: 503 }) : new Response('thanks'))
    expect(await get()).not.toHaveProperty('last_failure')
    await links.createLink(key)
    await links.createLink(key)
    const [failed] = await deliveries(1)
    await until('the failure is stored', async () => (await get()).failing_since !== null)
    const failing = await get()
    expect(failing.last_failure).toEqual(failed)
    expect(failing.last_failure).toMatchObject({ status: 503, answer: 'out of order' })
    expect((await links.call('GET', '/webhooks', { key })).body).toEqual([failing])
    const rotated = await links.call('POST', `${path}/rotate`, { key })
    expect(rotated.body.webhook).toMatchObject({ last_failure: failed })
    await links.database.write((tx) => tx.updateTable('webhook').set({ next_attempt_at: 9e9 }).execute())
    expect((await resend(failed?.id ?? 0)).body).toMatchObject({ delivered: false, status: 503 })
    expect(await get()).toMatchObject({ position: failing.position, next_attempt_at: 9e9 })
    isDown = false
    expect((await resend(failed?.id ?? 0)).body).toMatchObject({ delivered: true })
    await until('both events are accepted', async () => (await get()).position === 2)
    expect(await get()).toMatchObject({ failing_since: null })
    expect(await get()).not.toHaveProperty('last_failure')
  })
})
