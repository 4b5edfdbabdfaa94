import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { OPEN_PLANS } from '../../src/plans/schema.ts'
import { currentMessage, post, settings } from '../mcp/assistants.ts'
import { sharedTestLinks } from '../testing.ts'

const ann = 'ann@example.com'
const LIMIT = 120

let count = 0
const newUrl = () => `https://example.com/cost/${++count}`
const items = (number: number) => Array.from({ length: number }, () => ({ url: newUrl() }))
const createLinks = (number: number) => ({ operation: 'createLinks', body: { items: items(number) } })
const createLink = () => ({ operation: 'createLink', body: { url: newUrl() } })

eachDialect((dialect, newDatabaseUrl, testOnSqlite) => {
  describe('what requests cost', () => {
    // A request comes back after 30 seconds.
    const links = sharedTestLinks(newDatabaseUrl, { ...settings, LINKS_RATE_LIMIT: `${LIMIT}/hour` })

    /** Requests that each call of a new key has cost. */
    async function newMeter() {
      const key = await links.key(ann)
      let left = LIMIT
      return async (path: string, { body, headers, method = 'POST' }: Meter) => {
        const reply = await links.call(method, path, { key, body, ...(headers && { headers }) })
        const cost = left - Number(reply.headers.get('ratelimit-remaining'))
        left -= cost
        return { cost, ...reply }
      }
    }
    interface Meter {
      body?: object
      headers?: Record<string, string>
      method?: string
    }

    testOnSqlite(
      'L28.1h: a plan costs what its operations cost, when it is made, applied and undone',
      async () => {
        const call = await newMeter()
        const alone = await call('/bulk/links', { body: { items: items(100) } })
        expect(alone.cost).toBe(11)
        const plan = await call('/plans', {
          body: { ops: [createLinks(100), createLinks(95), createLink()] },
        })
        expect([plan.status, plan.cost]).toEqual([201, 21])
        const applied = await call(`/plans/${plan.body.id}/apply`, {})
        expect([applied.status, applied.cost]).toEqual([200, 21])
        const undone = await call(`/plans/${plan.body.id}/undo`, {})
        expect([undone.body.undone, undone.cost]).toEqual([196, 21])
      },
    )

    testOnSqlite(
      'L28.1h: links that a filter of a plan finds cost as much as those that it names',
      async () => {
        const call = await newMeter()
        const label = `cost ${++count}`
        const created = await call('/plans', {
          body: {
            ops: [
              { operation: 'createLinks', body: { items: items(40).map((item) => ({ ...item, label })) } },
              { operation: 'updateLinks', body: { filter: { search: label }, set: { expires_at: 4e9 } } },
            ],
          },
        })
        expect([created.status, created.cost]).toEqual([201, 1 + Math.ceil((2 + 40 + 40) / 10)])
      },
    )

    testOnSqlite('L29.3e, L28.1: an undone change costs as much as an item', async () => {
      const call = await newMeter()
      const made = await call('/bulk/links', { body: { items: items(30) } })
      expect(made.status).toBe(200)
      const [{ id } = { id: 0 }] = await links.rows<{ id: number }>('select max(id) as id from api_key')
      const undone = await call('/changes/undo', { body: { since: 0, assistant: `key:${id}` } })
      expect([undone.body.undone, undone.cost]).toEqual([30, 4])
    })

    testOnSqlite(
      'L28.2d: a request with an idempotency key costs as much as without, and its repetition 1',
      async () => {
        const call = await newMeter()
        const body = { ops: [createLinks(50), createLinks(45)] }
        const once = { body, headers: { 'Idempotency-Key': `costs-${++count}` } }
        const [first, second] = [await call('/plans', once), await call('/plans', once)]
        expect([first.cost, second.cost]).toEqual([11, 1])
        expect(second.headers.get('idempotent-replay')).toBe('true')
        expect(second.body).toEqual(first.body)
      },
    )

    testOnSqlite(
      'L28.1i: what would never pass, or not now, is refused before anything is done',
      async () => {
        const call = await newMeter()
        const tooMany = await call('/plans', { body: { ops: [createLinks(600), createLinks(600)] } })
        expect([tooMany.status, tooMany.body.error, tooMany.cost]).toEqual([
          400,
          `request: must have at most ${(LIMIT - 1) * 10} links`,
          1,
        ])
        await call('/bulk/links', { body: { items: items(1000) } })
        const before = await links.rows('select id from link')
        const refused = await call('/plans', { body: { ops: [createLinks(100), createLinks(95)] } })
        expect([refused.status, refused.cost]).toEqual([429, 1])
        expect((await links.rows('select id from link')).length).toBe(before.length)
      },
    )

    testOnSqlite(
      'L19: a plan, links and slugs of an assistant cost as much as those of the API',
      async () => {
        const key = await links.key(`mcp-${dialect}@example.com`)
        const callTool = (name: string, args: object) =>
          post(links, currentMessage('tools/call', { name, arguments: args }), {
            Authorization: `Bearer ${key}`,
            'Mcp-Method': 'tools/call',
            'Mcp-Name': name,
          })
        const { headers } = await callTool('plan_changes', { ops: [createLinks(95), createLinks(95)] })
        let left = LIMIT - 1 - 20
        expect(Number(headers.get('ratelimit-remaining'))).toBe(left)
        const many = await callTool('create_links', { links: items(95) })
        left -= 1 + 10
        expect(Number(many.headers.get('ratelimit-remaining'))).toBe(left)
        const custom_slug = Array.from({ length: 51 }, () => `cost-${++count}`)
        const named = await callTool('create_link', { url: newUrl(), custom_slug })
        expect(Number(named.headers.get('ratelimit-remaining'))).toBe(left - 1 - 5)
      },
    )
  })

  describe('how many plans may wait', () => {
    const links = sharedTestLinks(newDatabaseUrl)
    const plan = (key: string) =>
      links.call('POST', '/plans', { key, body: { title: 'One', ops: [createLink()] } })
    const codeOf = ({ headers }: { headers: Headers }) => headers.get('x-error-code')
    const { plans: MAX } = OPEN_PLANS.ofProgram

    /** Copies of the latest plan. */
    const copyPlans = (number: number, state: 'open' | 'discarded') =>
      links.database.write((tx) =>
        sql`with recursive copies (n) as (select 1 union all select n + 1 from copies where n < ${number})
          insert into plan (title, state, identity, via, assistant, assistant_name, created_at, expires_at,
            op_count, change_count, ops, diff, warnings, versions)
          select title, ${state}, identity, via, assistant, assistant_name, created_at, expires_at, op_count,
            change_count, ops, diff, warnings, versions
          from plan, copies where plan.id = (select max(id) from plan)`.execute(tx),
      )

    test('L29.3f: a program has at most 50 open plans, also when it makes several at once', async () => {
      const [key, other] = [await links.key('many@example.com'), await links.key('many@example.com')]
      const first = await plan(key)
      await copyPlans(MAX - 4, 'open')
      const attempts = await Promise.all([...Array(8)].map(() => plan(key)))
      expect(attempts.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        ...Array<number>(3).fill(201),
        ...Array<number>(5).fill(400),
      ])
      expect(codeOf(await plan(key))).toBe('too_many_plans')
      expect((await plan(other)).status).toBe(201)
      expect((await links.call('POST', `/plans/${first.body.id}/discard`, { key })).status).toBe(200)
      expect((await plan(key)).status).toBe(201)
      expect(codeOf(await plan(key))).toBe('too_many_plans')
    })

    test('L29.3f: the open plans of a program have at most 16 MiB', async () => {
      const key = await links.key('large@example.com')
      const { body } = await plan(key)
      await links.database.write((tx) =>
        tx
          .updateTable('plan')
          .set({ ops: `[]${' '.repeat(OPEN_PLANS.ofProgram.bytes)}` })
          .where('id', '=', body.id)
          .execute(),
      )
      expect(codeOf(await plan(key))).toBe('too_many_plans')
      expect((await links.call('POST', `/plans/${body.id}/discard`, { key })).status).toBe(200)
      expect((await plan(key)).status).toBe(201)
    })

    test('L29.3f: plans that are over make room for new ones, the oldest first', async () => {
      const key = await links.key('over@example.com')
      const { body: oldest } = await plan(key)
      await links.call('POST', `/plans/${oldest.id}/discard`, { key })
      await copyPlans(OPEN_PLANS.ofPerson.plans - 1, 'discarded')
      const ids = async () =>
        (
          await links.rows<{ id: number }>(
            `select id from plan where identity = 'over@example.com' order by id`,
          )
        ).map(({ id }) => id)
      const before = await ids()
      expect((await plan(key)).status).toBe(201)
      const after = await ids()
      expect(after.length).toBe(OPEN_PLANS.ofPerson.plans)
      expect([after.includes(oldest.id), before.slice(1).every((id) => after.includes(id))]).toEqual([
        false,
        true,
      ])
    })

    testOnSqlite('L29.3r: what a plan has changed is stored once, in history', async () => {
      const key = await links.key('once@example.com')
      const headers = { 'Idempotency-Key': `once-${++count}` }
      const create = { key, headers, body: { ops: [createLinks(50)] } }
      const { body: created } = await links.call('POST', '/plans', create)
      const applied = await links.call('POST', `/plans/${created.id}/apply`, {
        key,
        headers: { 'Idempotency-Key': `once-${++count}` },
      })
      expect(applied.body.diff).toHaveLength(50)
      expect(applied.body.diff[0].link_id).toBeGreaterThan(0)
      expect((await links.call('GET', `/plans/${created.id}`, { key })).body.diff).toEqual(applied.body.diff)
      const [stored] = await links.rows<{ diff: string }>(`select diff from plan where id = ${created.id}`)
      expect(stored?.diff).toBe('[]')
      const answers = await links.rows<{ body: string }>('select body from idempotent_answer')
      expect(answers.every(({ body }) => body.length < 500)).toBe(true)
      const repeated = await links.call('POST', '/plans', create)
      expect(repeated.headers.get('idempotent-replay')).toBe('true')
      expect(repeated.body).toEqual(applied.body)
      await links.call('POST', `/plans/${created.id}/undo`, { key })
      expect((await links.call('GET', `/plans/${created.id}`, { key })).body.diff).toEqual(applied.body.diff)
    })
  })
})
