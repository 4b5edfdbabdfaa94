import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { TestLinks } from '../testing.ts'
import { Relay } from '@latchkey/database/testing-relay'
import { closeAfterEach } from '../test-database.ts'

const { closeLater } = closeAfterEach()

const UNAVAILABLE = 'The database cannot be used at the moment; nothing was changed. Try again later.'
const UNKNOWN =
  'The database did not answer; whether anything was changed is not known. Look before you try again.'

eachDialect((dialect, newUrl) => {
  if (dialect === 'sqlite') return

  async function behindRelay() {
    const url = await newUrl()
    const relay = closeLater(await Relay.before(url))
    const node = closeLater(new TestLinks())
    await node.start(relay.through(url))
    const key = await node.key('ann@example.com')
    const create = (slug: string) =>
      node.call('POST', '/links', { key, body: { url: `https://example.com/${slug}`, slug } })
    const find = async (slug: string) => (await node.call('GET', `/slugs/${slug}`, { key })).status
    expect((await create('before')).status).toBe(201)
    return { relay, create, find }
  }

  test('L3.3: a connection lost during a commit is not reported as an unchanged state', async () => {
    const { relay, create, find } = await behindRelay()
    relay.loseAnswerTo('commit')
    const { status, headers, body } = await create('kept')
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, UNKNOWN, null])
    expect(await find('kept')).toBe(200)
    expect((await create('after')).status).toBe(201)
  })

  test('a connection lost before the commit is reported as an unchanged state', async () => {
    const { relay, create, find } = await behindRelay()
    relay.loseAnswerTo('insert into "slug"')
    const { status, headers, body } = await create('undone')
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, UNAVAILABLE, '5'])
    expect(await find('undone')).toBe(404)
  })
})
