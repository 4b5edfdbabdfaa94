// The traces of an erased account (issue 19, point 13).
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { createRoom, member, signedInGuest, signedInUser } from '../actions.ts'
import { roomsPerTest } from '../per-test.ts'
import type { TestRooms } from '../rooms.ts'
import { until } from '../until.ts'

const DAY = 86_400_000
const IP = '203.0.113.200'
const { rooms } = roomsPerTest()

/** All rows of a table that contain this text. */
async function rowsWith({ rooms: { database } }: TestRooms, table: string, text: string): Promise<unknown[]> {
  const { rows: all } = await sql`select * from ${sql.table(table)}`.execute(database.read)
  return all.filter((row) => JSON.stringify(row).includes(text))
}

eachDialect((_dialect, newUrl) => {
  test.each([0, 1_500])(
    'an erased account leaves no address, id or client-chosen message id behind, also with %d more audit rows',
    async (more) => {
      const service = await rooms({ url: await newUrl() })
      const ada = await signedInUser(service, { sub: 'ada', name: 'Ada' })
      const browser = await service.signedInBrowser({ sub: 'eva', name: 'Eva' }, { ip: IP })
      const { user } = await browser.json<{ user: { id: string } }>('/api/session')
      await ada.browser.json(`/api/admin/users/${user.id}/status`, {
        method: 'PATCH',
        body: { disabled: true },
      })
      await ada.browser.json(`/api/admin/users/${user.id}/status`, {
        method: 'PATCH',
        body: { disabled: false },
      })
      await browser.signIn({ sub: 'eva', name: 'Eva' })
      const { id } = await createRoom(await member(service, 'Olga'))
      const body = { content: 'Hello', clientId: 'device-7-message-1' }
      await browser.json(`/api/rooms/${id}/messages`, { body }, 201)
      await service.rooms.database.write((tx) =>
        sql`insert into audit_events
          (id, actor_user_id, action, target_type, target_id, metadata, client_ip, created_at)
          with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${more})
          select cast(n as text), ${user.id}, 'test', 'user', ${user.id}, '{}', ${IP}, ${service.clock.ms}
          from numbers where n <= ${more}`.execute(tx),
      )
      expect(await rowsWith(service, 'audit_events', IP)).not.toEqual([])
      await browser.json('/api/account', { method: 'DELETE', body: { confirm: true } })
      service.clock.ms += 60_000
      // A job that a busy database refuses is tried again at the next check.
      await until(async () => {
        await service.rooms.jobs.runDue()
        return (await rowsWith(service, 'audit_events', IP)).length === 0
      })
      for (const table of ['sessions', 'room_messages'])
        expect([table, (await rowsWith(service, table, IP)).length]).toEqual([table, 0])
      expect(await rowsWith(service, 'room_messages', 'device-7')).toEqual([])
      expect(await rowsWith(service, 'room_messages', user.id)).toEqual([])
      // Only the record of the erasure still names the account.
      expect(await rowsWith(service, 'audit_events', user.id)).toEqual([
        expect.objectContaining({
          action: 'account.delete',
          target_id: user.id,
          actor_user_id: null,
          client_ip: null,
        }),
      ])
      // Actions of other users keep their address.
      expect((await rowsWith(service, 'audit_events', ada.id)).length).toBeGreaterThan(0)
    },
  )

  test('R28.26: an erased account leaves no id behind in events of rooms, of moderators and of guests', async () => {
    const service = await rooms({ url: await newUrl() })
    const olga = await signedInUser(service, { sub: 'olga', name: 'Olga' })
    const eva = await signedInUser(service, { sub: 'eva', name: 'Eva' })
    const { id } = await createRoom(olga)
    const path = `/api/rooms/${id}`
    const post = async (content: string) =>
      (
        await eva.browser.json<{ message: { id: string } }>(
          `${path}/messages`,
          { body: { content, clientId: content } },
          201,
        )
      ).message.id
    const [remaining, deleted] = [await post('kept'), await post('deleted')]
    for (const { browser } of [eva, olga])
      await browser.json(`${path}/messages/${remaining}/reactions/👍`, { method: 'PUT' })
    await eva.browser.json(`${path}/messages/${deleted}`, { method: 'DELETE' })
    await eva.browser.json(`${path}/join`, { body: {} })
    await olga.browser.json(`${path}/members/${eva.id}`, { method: 'PATCH', body: { role: 'moderator' } })
    await olga.browser.json(`${path}/members/${eva.id}/remove`, { body: { action: 'kick' } })
    for (const table of ['room_events', 'audit_events'])
      expect([table, (await rowsWith(service, table, eva.id)).length]).not.toEqual([table, 0])
    const events = async () =>
      (await olga.browser.json<{ events: unknown[] }>(`${path}/events`)).events.map((event) =>
        JSON.stringify(event).replaceAll(eva.id, `${eva.id.slice(0, 4)}0000-0000-0000-0000-000000000000`),
      )
    await eva.browser.json('/api/account', { method: 'DELETE', body: { confirm: true } })
    const before = await events()
    service.clock.ms += 3_600_000
    await service.rooms.jobs.runDue()
    expect(await rowsWith(service, 'room_events', eva.id)).toEqual([])
    expect(await rowsWith(service, 'platform_state', eva.id)).toEqual([])
    expect(await rowsWith(service, 'audit_events', eva.id)).toEqual([
      expect.objectContaining({ action: 'account.delete', target_id: eva.id }),
    ])
    expect(await events()).toEqual(before)
    expect((await rowsWith(service, 'room_events', olga.id)).length).toBeGreaterThan(0)
  })

  test('a purged guest leaves no address behind', async () => {
    const service = await rooms({ url: await newUrl() })
    const gus = await signedInGuest(service)
    await gus.browser.json('/api/auth/logout', { body: {} })
    expect(await rowsWith(service, 'audit_events', gus.id)).not.toEqual([])
    service.clock.ms += 7 * DAY + 1
    await service.rooms.jobs.runDue()
    expect(await rowsWith(service, 'users', gus.id)).toEqual([])
    expect(await rowsWith(service, 'audit_events', gus.id)).toEqual([])
    const addresses = await service.rooms.database.read
      .selectFrom('audit_events')
      .select('client_ip')
      .execute()
    expect(addresses.filter(({ client_ip }) => client_ip !== null)).toEqual([])
  })
})
