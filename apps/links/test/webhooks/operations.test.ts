import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { DAY } from '../../src/time/window.ts'
import { sharedTestLinks } from '../testing.ts'
import { Receiver } from './receiver.ts'

const url = 'https://receiver.example/hook'

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, {
    LINKS_WEBHOOK_ALLOW: '127.0.0.1',
    LINKS_ADMINS: 'admin@example.com',
    TRUSTED_PROXIES: '127.0.0.1',
  })
  const receiver = new Receiver()
  let [ann, ben, admin] = ['', '', '']
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
    admin = await links.key('admin@example.com')
  })
  afterAll(() => receiver.stop())

  const call = (method: string, path: string, key: string, body?: unknown) =>
    links.call(method, `/webhooks${path}`, { key, body })

  async function create(key: string, fields: object = {}) {
    const { status, body } = await call('POST', '', key, { url, ...fields })
    expect(status).toBe(201)
    return body as { webhook: { id: number; position: number }; secret: string }
  }

  test('L30.3f: a webhook is created, and its secret appears in no other answer and not in the database', async () => {
    const { webhook, secret } = await create(ann, { types: ['link.created', 'link.created'], bundle: 7 })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(webhook).toMatchObject({
      url,
      types: ['link.created'],
      bundle: 7,
      created_by: 'ann@example.com',
      created_at: links.now,
      disabled_at: null,
      failing_since: null,
      next_attempt_at: null,
      previous_secret_until: null,
    })
    const answers = [await call('GET', '', ann), await call('GET', `/${webhook.id}`, ann)]
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('whsec_')
    expect(JSON.stringify(await links.databaseState())).not.toContain(secret.slice(6))
  })

  testOnSqlite('L30.3a: only the creator and administrators see and change a webhook', async () => {
    const { webhook } = await create(ann)
    const writes = [
      ['GET', ''],
      ['PATCH', '', { types: [] }],
      ['PUT', '', { disabled: true }],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', '/replay', { from: 1 }],
      ['DELETE', ''],
    ] as const
    for (const [method, path, body] of writes)
      await links.expectRefusal(method, `/webhooks/${webhook.id}${path}`, { key: ben, body }, [
        404,
        'Webhook not found',
      ])
    const idsOf = async (key: string) =>
      ((await call('GET', '', key)).body as { id: number }[]).map(({ id }) => id)
    expect(await idsOf(ben)).not.toContain(webhook.id)
    expect(await idsOf(admin)).toContain(webhook.id)
    for (const [method, path, body] of writes)
      expect([path, (await call(method, `/${webhook.id}${path}`, admin, body)).status]).toEqual([path, 200])
    expect(await idsOf(ann)).not.toContain(webhook.id)
  })

  testOnSqlite(
    'L30.3c: a key without the scope to read creates no webhook, which would read for it',
    async () => {
      const writer = await links.key('ann@example.com', 'create')
      const reader = await links.key('ann@example.com', 'read')
      for (const key of [writer, reader])
        await links.expectRefusal('POST', '/webhooks', { key, body: { url } }, [403, 'Forbidden'])
      expect((await call('GET', '', reader)).status).toBe(200)
      expect((await call('GET', '', writer)).status).toBe(403)
    },
  )

  testOnSqlite(
    'L30.4a: an address that may not be reached, credentials and other schemes are refused',
    async () => {
      const refusals: [unknown, string][] = [
        ['http://10.0.0.1/', 'url: is a private address, which only LINKS_WEBHOOK_ALLOW lets webhooks reach'],
        ['http://[::1]/', 'url: is a private address, which only LINKS_WEBHOOK_ALLOW lets webhooks reach'],
        [
          'http://0x7f000002/',
          'url: is a private address, which only LINKS_WEBHOOK_ALLOW lets webhooks reach',
        ],
        ['https://ann:secret@receiver.example/', 'url: must not contain a user name or password'],
        ['ftp://receiver.example/', 'url must use http or https'],
        ['nonsense', 'url must be a valid URL'],
      ]
      const { webhook } = await create(ann)
      for (const [address, error] of refusals) {
        await links.expectRefusal('POST', '/webhooks', { key: ann, body: { url: address } }, [400, error])
        await links.expectRefusal('PATCH', `/webhooks/${webhook.id}`, { key: ann, body: { url: address } }, [
          400,
          error,
        ])
      }
      await links.expectRefusal('POST', '/webhooks', { key: ann, body: { url, types: ['link.eaten'] } }, [
        400,
        expect.stringContaining('types'),
      ])
      const slashed = await create(ann, { url: 'https://receiver.example/hook/' })
      expect(slashed.webhook).toMatchObject({ url: 'https://receiver.example/hook/' })
    },
  )

  test('L30.3d: a person has at most 20 webhooks, and the limit counts each person alone', async () => {
    const key = await links.key('many@example.com')
    await Promise.all(Array.from({ length: 19 }, () => create(key)))
    const both = await Promise.all([1, 2].map(() => call('POST', '', key, { url })))
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
    await links.expectRefusal('POST', '/webhooks', { key, body: { url } }, [
      400,
      'You have reached the limit of 20 webhooks; delete one first',
    ])
    await create(ben)
  })

  testOnSqlite(
    'L30.3h: a rotation returns a new secret, and a test is signed with both for a day',
    async () => {
      const { webhook, secret } = await create(ann, { url: receiver.url })
      const { body } = await call('POST', `/${webhook.id}/rotate`, ann)
      expect(body.webhook.previous_secret_until).toBe(links.now + DAY)
      expect(body.secret).not.toBe(secret)
      receiver.secrets = [secret, body.secret]
      const { body: delivery } = await call('POST', `/${webhook.id}/test`, ann)
      expect(delivery).toMatchObject({
        seq: null,
        type: 'webhook.test',
        attempt: 1,
        attempted_at: links.now,
        status: 200,
        answer: 'thanks',
        error: null,
        delivered: true,
      })
      expect(receiver.received.at(-1)).toMatchObject({ type: 'webhook.test', signedBy: [0, 1] })
      expect((await call('GET', `/${webhook.id}/deliveries`, ann)).body).toEqual([delivery])
    },
  )

  test('L30.3h: of rotations at once, the secrets of the last two sign, and each was returned', async () => {
    const { webhook } = await create(ann, { url: receiver.url })
    const rotations = await Promise.all([1, 2].map(() => call('POST', `/${webhook.id}/rotate`, ann)))
    receiver.secrets = rotations.map(({ body }) => body.secret)
    await call('POST', `/${webhook.id}/test`, ann)
    expect(receiver.received.at(-1)).toMatchObject({ signedBy: [0, 1] })
  })

  testOnSqlite(
    'L30.3o: a test counts as a delivery, not as a failure, and ten a minute are possible',
    async () => {
      const key = await links.key('tester@example.com')
      const { webhook } = await create(key)
      const first = await call('POST', `/${webhook.id}/test`, key)
      expect(first.body).toMatchObject({ delivered: false, status: null, answer: null, error: 'unreachable' })
      for (let count = 0; count < 9; count++) await call('POST', `/${webhook.id}/test`, key)
      const { status, headers } = await call('POST', `/${webhook.id}/test`, key)
      expect([status, Number(headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
      expect((await call('GET', `/${webhook.id}`, key)).body).toMatchObject({ failing_since: null })
      expect((await call('GET', `/${webhook.id}/deliveries?limit=3`, key)).body).toHaveLength(3)
    },
  )

  testOnSqlite(
    'L30.3o: a person waits for at most five hanging tests at once, and no one else for them',
    async () => {
      const [hanging, held] = [new Receiver(), Promise.withResolvers<Response>()]
      hanging.answer = () => held.promise
      const [key, other] = [await links.key('waiting@example.com'), await links.key('other@example.com')]
      const { webhook } = await create(key, { url: hanging.url })
      const running = Array.from({ length: 5 }, () => call('POST', `/${webhook.id}/test`, key))
      await hanging.waitFor(5)
      const { status, headers } = await call('POST', `/${webhook.id}/test`, key)
      expect([status, headers.get('retry-after')]).toEqual([429, '5'])
      const { webhook: theirs } = await create(other, { url: receiver.url })
      expect((await call('POST', `/${theirs.id}/test`, other)).body).toMatchObject({ delivered: true })
      held.resolve(new Response())
      for (const { body } of await Promise.all(running)) expect(body).toMatchObject({ delivered: true })
      await hanging.stop()
    },
  )

  testOnSqlite(
    'L28.2j: a test with an Idempotency-Key is sent once, in no transaction, and others wait for its answer',
    async () => {
      const [hanging, held] = [new Receiver(), Promise.withResolvers<Response>()]
      hanging.answer = () => held.promise
      const key = await links.key('once@example.com')
      const { webhook } = await create(key, { url: hanging.url })
      const send = () =>
        links.call('POST', `/webhooks/${webhook.id}/test`, { key, headers: { 'Idempotency-Key': 'once' } })
      const replies = [send(), send()]
      await hanging.waitFor(1)
      // Another write, and no other, would wait for a transaction.
      const { status } = await links.call('POST', '/links', { key, body: { url: 'https://example.com/' } })
      expect(status).toBe(201)
      held.resolve(new Response('late'))
      const [first, second] = await Promise.all(replies)
      expect([first?.status, second?.status]).toEqual([200, 200])
      expect(second?.body).toEqual(first?.body)
      expect((await send()).headers.get('idempotent-replay')).toBe('true')
      expect(hanging.received).toHaveLength(1)
      await hanging.stop()
    },
  )

  test('L28.2k: the reservation of a test whose process has ended is over after half a minute', async () => {
    const key = await links.key('crashed@example.com')
    const { webhook } = await create(key, { url: receiver.url })
    const send = () =>
      links.call('POST', `/webhooks/${webhook.id}/test`, { key, headers: { 'Idempotency-Key': 'crashed' } })
    const before = await send()
    await links.database.write((tx) =>
      tx
        .updateTable('idempotent_answer')
        .set({ body: '' })
        .where('idempotency_key', '=', 'crashed')
        .execute(),
    )
    const { status, headers } = await send()
    expect([status, headers.get('x-error-code')]).toEqual([409, 'idempotency_key_running'])
    links.advance(30)
    const after = await send()
    expect([after.status, after.headers.get('idempotent-replay')]).toEqual([200, null])
    expect(after.body.id).not.toBe(before.body.id)
  })

  testOnSqlite(
    'L30.3f: the secret is not in the database in clear, and a repeated request still gets it',
    async () => {
      const key = await links.key('secret@example.com')
      const send = () =>
        links.call('POST', '/webhooks', { key, body: { url }, headers: { 'Idempotency-Key': 'secret' } })
      const first = await send()
      expect(first.body.secret).toMatch(/^whsec_/)
      const rows = await links.rows('select * from idempotent_answer')
      expect(JSON.stringify(rows)).not.toMatch(/whsec_|receiver/)
      const second = await send()
      expect([second.headers.get('idempotent-replay'), second.body]).toEqual(['true', first.body])
    },
  )

  test('L30.3n, L30.3l: a disabled webhook continues where it was, and a replay from the future skips nothing that is to come', async () => {
    const { webhook } = await create(ann)
    const disabled = await call('PATCH', `/${webhook.id}`, ann, { disabled: true })
    expect(disabled.body).toMatchObject({ disabled_at: links.now, position: webhook.position })
    const enabled = await call('PATCH', `/${webhook.id}`, ann, { disabled: false })
    expect(enabled.body).toMatchObject({ disabled_at: null, position: webhook.position })
    const replayed = await call('POST', `/${webhook.id}/replay`, ann, { from: 1 })
    expect(replayed.body.position).toBe(0)
    const ahead = await call('POST', `/${webhook.id}/replay`, ann, { from: 1_000_000 })
    expect(ahead.body.position).toBe(webhook.position)
  })

  testOnSqlite('L30.3g, L30.4: a delivery to the instance itself is no request of this machine', async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: links.fetchHandler })
    try {
      const address = `http://127.0.0.1:${server.port}/_/admin/api/bundles/1/archive`
      const { webhook } = await create(ann, { url: address })
      const { body } = await call('POST', `/${webhook.id}/test`, ann)
      expect([body.status, body.answer]).toEqual([403, expect.stringContaining('came through a proxy')])
      // A program on this machine may send this request, and there is no such bundle.
      expect((await fetch(address, { method: 'POST' })).status).toBe(404)
    } finally {
      await server.stop(true)
    }
  })
})
