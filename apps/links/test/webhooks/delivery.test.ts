import { afterEach, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { DAY } from '../../src/time/window.ts'
import { TestNodes } from './nodes.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

eachDialect((dialect, newUrl, testOnSqlite) => {
  let nodes: TestNodes
  beforeEach(async () => {
    nodes = await TestNodes.open(await newUrl())
  })
  afterEach(() => nodes.close())

  test('L30.3e: a receiver gets each event once, in order, signed, with the id of the event', async () => {
    const receiver = nodes.receiver()
    const id = await nodes.webhook(receiver)
    await nodes.addEvents(20)
    const node = nodes.node()
    await node.pollAndWait()
    await node.pollAndWait()
    expect(receiver.seqs).toEqual(upTo(20))
    expect(
      receiver.received.every(({ signedBy, timestamp }) => signedBy[0] === 0 && timestamp === nodes.now),
    ).toBe(true)
    expect(receiver.received[6]).toMatchObject({
      id: 'evt_7',
      seq: 7,
      type: 'link.created',
      at: nodes.now,
      data: {},
    })
    expect(await nodes.read(id)).toMatchObject({ position: 20, failures: 0, lease_holder: null })
  })

  test('a webhook gets its types only, and later events need no write of those between', async () => {
    const receiver = nodes.receiver()
    const id = await nodes.webhook(receiver, { types: ['link.deleted'] })
    const node = nodes.node()
    await nodes.addEvents(30)
    await node.pollAndWait()
    expect([receiver.seqs, (await nodes.read(id)).position]).toEqual([[], 0])
    await nodes.addEvents(1, 'link.deleted')
    await nodes.addEvents(1_000)
    await node.pollAndWait()
    await node.pollAndWait()
    expect([receiver.seqs, (await nodes.read(id)).position]).toEqual([[31], 1_031])
  })

  test('L30.3i: later events wait for the first that fails, which is tried again by the schedule', async () => {
    const receiver = nodes.receiver()
    let isDown = true
    receiver.answer = ({ seq }) => new Response('broken', { status: isDown && seq === 3 ? 500 : 200 })
    const id = await nodes.webhook(receiver)
    await nodes.addEvents(5)
    const node = nodes.node()
    for (const wait of [0, 4, 1, 29, 1, 119, 1]) {
      nodes.now += wait
      await node.pollAndWait()
    }
    // After 5 s, 30 s and 2 min, and not a second earlier.
    expect(receiver.seqs).toEqual([1, 2, 3, 3, 3, 3])
    const [latest] = await nodes.deliveries(id)
    expect(latest).toMatchObject({ seq: 3, attempt: 4, status: 500, answer: 'broken', error: null })
    isDown = false
    nodes.now += 600
    await node.pollAndWait()
    expect(receiver.seqs).toEqual([1, 2, 3, 3, 3, 3, 3, 4, 5])
    expect(await nodes.read(id)).toMatchObject({ position: 5, failures: 0, failing_since: null })
    expect(new Set(receiver.received.filter(({ seq }) => seq === 3).map((each) => each.id))).toEqual(
      new Set(['evt_3']),
    )
  })

  testOnSqlite('L30.3j: a receiver that answers 429 is asked again when it says', async () => {
    const receiver = nodes.receiver()
    receiver.answer = () => new Response('', { status: 429, headers: { 'Retry-After': '100' } })
    const id = await nodes.webhook(receiver)
    await nodes.addEvents(1)
    const node = nodes.node()
    await node.pollAndWait()
    expect((await nodes.read(id)).next_attempt_at).toBe(nodes.now + 100)
    nodes.now += 99
    await node.pollAndWait()
    expect(receiver.seqs).toEqual([1])
  })

  test('L30.3k: after five days of failures a webhook is disabled, and sends nothing any more', async () => {
    const receiver = nodes.receiver()
    receiver.answer = () => new Response('', { status: 503 })
    const id = await nodes.webhook(receiver)
    await nodes.addEvents(2)
    const node = nodes.node()
    const startedAt = nodes.now
    for (;;) {
      await node.pollAndWait()
      const { disabled_at, next_attempt_at } = await nodes.read(id)
      if (disabled_at !== null) break
      nodes.now = next_attempt_at
    }
    expect(nodes.now).toBe(startedAt + 5 * DAY)
    expect(receiver.seqs).toEqual(Array.from({ length: 12 }, () => 1))
    expect(nodes.log.filter(({ message }) => String(message).startsWith('webhook: disabled'))).toHaveLength(1)
    nodes.now += 30 * DAY
    await node.pollAndWait()
    expect(receiver.seqs).toHaveLength(12)
  })

  testOnSqlite(
    'L30.4c: redirects, private addresses and receivers that hang or have stopped are failures, and say so',
    async () => {
      const inside = nodes.receiver()
      const redirecting = nodes.receiver()
      redirecting.answer = () => Response.redirect(inside.url, 308)
      const hanging = nodes.receiver()
      hanging.answer = () => new Promise<Response>(() => {})
      const gone = nodes.receiver()
      await gone.stop()
      const urls = [redirecting.url, hanging.url, gone.url, 'http://private.test/', 'http://10.0.0.1/']
      const ids = await Promise.all(urls.map((url) => nodes.webhook({ url })))
      await nodes.addEvents(1)
      await nodes.node().pollAndWait()
      const outcomes = await Promise.all(
        ids.map(async (id) => {
          const [latest] = await nodes.deliveries(id)
          return [latest?.status, latest?.error]
        }),
      )
      expect(outcomes).toEqual([
        [308, null],
        [null, 'timeout'],
        [null, 'unreachable'],
        [null, 'unreachable'],
        [null, 'unreachable'],
      ])
      expect(inside.seqs).toEqual([])
      for (const id of ids) expect(await nodes.read(id)).toMatchObject({ position: 0, failures: 1 })
    },
  )

  testOnSqlite('L30.4i: receivers that hang hold up no other one', async () => {
    const release = Promise.withResolvers<void>()
    const hanging = nodes.receiver()
    hanging.answer = async () => {
      await release.promise
      return new Response()
    }
    for (let count = 0; count < 40; count++) await nodes.webhook(hanging)
    const healthy = nodes.receiver()
    await nodes.webhook(healthy)
    await nodes.addEvents(50)
    const node = nodes.node()
    await node.poll()
    await healthy.waitFor(50)
    expect(healthy.seqs).toEqual(upTo(50))
    // No hanging attempt has had an answer meanwhile.
    expect(hanging.seqs.every((seq) => seq === 1)).toBe(true)
    release.resolve()
  })

  testOnSqlite('L30.3h: for a day after a rotation both secrets sign, then the new one alone', async () => {
    const receiver = nodes.receiver()
    const id = await nodes.webhook(receiver)
    const { secret } = await nodes.read(id)
    receiver.secrets.push('whsec_bmV3')
    await nodes.database.write((tx) =>
      tx
        .updateTable('webhook')
        .set({
          secret: nodes.sender.seal('whsec_bmV3'),
          previous_secret: secret,
          previous_until: nodes.now + DAY,
        })
        .execute(),
    )
    const node = nodes.node()
    for (const wait of [0, DAY - 1, 1]) {
      nodes.now += wait
      await nodes.addEvents(1)
      await node.pollAndWait()
    }
    expect(receiver.received.map(({ signedBy }) => signedBy)).toEqual([[0, 1], [0, 1], [1]])
  })

  test('a webhook that is disabled, moved or deleted during an attempt is not changed by its outcome', async () => {
    const receiver = nodes.receiver()
    const id = await nodes.webhook(receiver)
    await nodes.addEvents(3)
    const change = (set: object) => nodes.database.write((tx) => tx.updateTable('webhook').set(set).execute())
    receiver.answer = async ({ seq }) => {
      if (seq === 1) await change({ disabled_at: nodes.now })
      if (seq === 2) await nodes.database.write((tx) => tx.deleteFrom('webhook').execute())
      return new Response()
    }
    const node = nodes.node()
    await node.pollAndWait()
    expect([receiver.seqs, (await nodes.read(id)).position]).toEqual([[1], 0])
    expect(await nodes.deliveries(id)).toHaveLength(1)
    await change({ disabled_at: null, position: 1 })
    await node.pollAndWait()
    expect(receiver.seqs).toEqual([1, 2])
    expect(await nodes.database.read.selectFrom('webhook_delivery').selectAll().execute()).toEqual([])
    expect(nodes.log).toEqual([])
  })

  testOnSqlite(
    'L30.3m: a failure at a receiver that was replaced during the attempt says nothing of the next one',
    async () => {
      const [former, next] = [nodes.receiver(), nodes.receiver()]
      const id = await nodes.webhook(former)
      await nodes.addEvents(1)
      former.answer = async () => {
        await nodes.database.write((tx) => tx.updateTable('webhook').set({ url: next.url }).execute())
        return new Response('', { status: 500 })
      }
      const node = nodes.node()
      await node.pollAndWait()
      expect(await nodes.read(id)).toMatchObject({ failures: 0, next_attempt_at: 0, lease_holder: null })
      await node.pollAndWait()
      expect([former.seqs, next.seqs]).toEqual([[1], [1]])
    },
  )

  test('a node that closes aborts its attempts, counts none of them, and another delivers them again', async () => {
    const receiver = nodes.receiver()
    receiver.answer = () => new Promise<Response>(() => {})
    const id = await nodes.webhook(receiver)
    await nodes.addEvents(2)
    const node = nodes.node()
    await node.poll()
    await receiver.waitFor(1)
    await node.close()
    expect(await nodes.read(id)).toMatchObject({ position: 0, failures: 0, lease_holder: null })
    expect(await nodes.deliveries(id)).toEqual([])
    receiver.answer = () => new Response()
    await nodes.node().pollAndWait()
    expect(receiver.seqs).toEqual([1, 1, 2])
    expect(nodes.log).toEqual([])
  })

  test('L30.3p: of the deliveries of a webhook, the latest hundred are kept', async () => {
    const receiver = nodes.receiver()
    const [id, other] = [await nodes.webhook(receiver), await nodes.webhook(nodes.receiver())]
    await nodes.addEvents(120)
    await nodes.node().pollAndWait()
    for (const each of [id, other]) {
      const seqs = (await nodes.deliveries(each)).map(({ seq }) => seq)
      expect(seqs).toEqual(upTo(120).slice(20).toReversed())
    }
  })

  if (dialect === 'sqlite') {
    test('a node that starts on a file takes over what its predecessor had leased', async () => {
      const receiver = nodes.receiver()
      await nodes.webhook(receiver)
      await nodes.addEvents(1)
      await nodes.database.write((tx) =>
        tx
          .updateTable('webhook')
          .set({ lease_holder: 'killed', lease_until: nodes.now + 30 })
          .execute(),
      )
      const node = nodes.node()
      await node.pollAndWait()
      expect(receiver.seqs).toEqual([])
      await node.start()
      await node.pollAndWait()
      expect(receiver.seqs).toEqual([1])
    })
    return
  }

  test('L30.4g: of two nodes one delivers each event, however they poll', async () => {
    const receivers = upTo(8).map(() => nodes.receiver())
    for (const receiver of receivers) await nodes.webhook(receiver)
    const both = [nodes.node(), nodes.node()]
    for (let round = 0; round < 6; round++) {
      await nodes.addEvents(5)
      await Promise.all(both.map((node) => node.pollAndWait()))
    }
    await Promise.all(both.map((node) => node.pollAndWait()))
    for (const { seqs } of receivers) expect(seqs).toEqual(upTo(30))
  })

  test('L30.4h: a lease that ends later than any can is no lease: its node had a wrong clock', async () => {
    const receiver = nodes.receiver()
    await nodes.webhook(receiver)
    await nodes.addEvents(1)
    const lease = (until: number) =>
      nodes.database.write((tx) =>
        tx.updateTable('webhook').set({ lease_holder: 'killed', lease_until: until }).execute(),
      )
    await lease(nodes.now + 30)
    await nodes.node().pollAndWait()
    expect(receiver.seqs).toEqual([])
    await lease(nodes.now + 150)
    await nodes.node().pollAndWait()
    expect(receiver.seqs).toEqual([1])
  })

  test('L30.4g: the lease of a node that vanished ends after half a minute, and another node goes on', async () => {
    const receiver = nodes.receiver()
    receiver.answer = () => new Promise<Response>(() => {})
    await nodes.webhook(receiver)
    await nodes.addEvents(2)
    await nodes.node().poll()
    await receiver.waitFor(1)
    receiver.answer = () => new Response()
    const other = nodes.node()
    nodes.now += 29
    await other.pollAndWait()
    expect(receiver.seqs).toEqual([1])
    nodes.now += 1
    await other.pollAndWait()
    expect(receiver.seqs).toEqual([1, 1, 2])
  })
})
