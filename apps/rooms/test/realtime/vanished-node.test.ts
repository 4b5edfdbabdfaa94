import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { Relay } from '@latchkey/database/testing-relay'
import { freePort } from '@latchkey/http/free-port'
import { createRoom, member } from '../actions.ts'
import { Person } from '../real/person.ts'
import { startService } from '../real/service.ts'
import { openRooms } from '../rooms.ts'
import { until } from '../until.ts'

/** Only posting sends it, and the row of the room is locked from the time the number is taken. */
const STORE_MESSAGE = 'insert into "room_messages"'

eachDialect((dialect, newUrl) => {
  // SQLite serves one node.
  if (dialect === 'sqlite') return

  test('a node that crashes while it stores a message blocks no other sender in the room, and nothing of the message is stored', async () => {
    const url = await newUrl()
    // The other node runs on the real clock, whose jobs would end the sessions of a set one.
    const healthy = await openRooms({ url, machineAheadMs: 0 })
    const relay = await Relay.before(url)
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const vanishing = await startService({
      AUTH_PROVIDER: 'oidc',
      AUTH_CLIENT_ID: 'rooms',
      OIDC_ISSUER: 'https://login.example.com',
      ALLOWED_HOSTS: origin,
      GUEST_ENABLED: 'true',
      ROOMS_PORT: String(port),
      ROOMS_DATABASE_URL: relay.through(url),
    })
    try {
      const olga = await member(healthy, 'Olga')
      const { id } = await createRoom(olga)
      const path = `/api/rooms/${id}`
      const post = async (content: string) =>
        (await olga.browser.send(`${path}/messages`, { body: { content } })).status
      await olga.browser.send(`${path}/join`, { method: 'POST' })
      expect(await post('before')).toBe(201)
      const guest = new Person()
      const call = async (to: string, body: unknown) => {
        const headers = { 'x-csrf-token': guest.cookies('localhost').get('latchkey_csrf') ?? '' }
        return (await guest.call(origin, to, { method: 'POST', body, headers })).status
      }
      expect(await call('/api/session', { nickname: 'Kim' })).toBe(201)
      expect(await call(`${path}/join`, {})).toBe(200)

      const silent = relay.silenceAfter(STORE_MESSAGE)
      const lost = call(`${path}/messages`, { content: 'lost' }).catch(() => 'no answer')
      await silent
      await vanishing.kill()
      expect(await lost).toBe('no answer')

      await until(async () => (await post('after')) === 201)
      const { events } = await olga.browser.json<{ events: { data: { message?: { content: string } } }[] }>(
        `${path}/events`,
      )
      const contents = events.flatMap(({ data }) => data.message?.content ?? [])
      expect(contents).toEqual(expect.arrayContaining(['before', 'after']))
      expect(contents).not.toContain('lost')
    } finally {
      await vanishing.kill()
      await healthy.close()
      relay.close()
    }
  }, 90_000)
})
