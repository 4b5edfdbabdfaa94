import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { Relay } from '@latchkey/database/testing-relay'
import { OUTCOME_UNKNOWN } from '@latchkey/http/failure'
import { openRooms } from '../rooms.ts'

eachDialect((dialect, newUrl) => {
  // SQLite has no connection to lose.
  if (dialect === 'sqlite') return

  test('a room creation whose commit loses the connection reports an unknown outcome and does not advise a retry', async () => {
    const url = await newUrl()
    const relay = await Relay.before(url)
    const rooms = await openRooms({ url: relay.through(url) })
    try {
      const alice = await rooms.signedInBrowser()
      const create = (name: string) => alice.send('/api/rooms', { body: { name } })
      const count = async (name: string) =>
        (await rooms.rooms.database.read.selectFrom('rooms').select('id').where('name', '=', name).execute())
          .length
      expect((await create('Before')).status).toBe(201)

      relay.loseAnswerTo('commit')
      const lost = await create('Kept')
      expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, null])
      expect(await lost.json()).toEqual({ error: OUTCOME_UNKNOWN, code: 'unavailable' })
      expect(await count('Kept')).toBe(1)
      expect((await create('After')).status).toBe(201)

      relay.loseAnswerTo('insert into "rooms"')
      const undone = await create('Undone')
      expect([undone.status, undone.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await undone.json()).toEqual({
        error: 'Temporarily unavailable; try again later',
        code: 'unavailable',
      })
      expect(await count('Undone')).toBe(0)
    } finally {
      await rooms.close()
      relay.close()
    }
  }, 30_000)
})
