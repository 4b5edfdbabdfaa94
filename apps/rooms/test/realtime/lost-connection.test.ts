// A committed message is published and answered even if other connections to the database are lost
// (R18.4).
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { Relay } from '@latchkey/database/testing-relay'
import { createRoom, guest, member } from '../actions.ts'
import { openRooms } from '../rooms.ts'

/**
 * Part of the statement that looks up the author's name, next to the transaction that stores the
 * message.
 */
const CALLED = 'as "nickname", "users"."avatar_color", "users"."picture_id", "users"."is_guest", case'

eachDialect((dialect, newUrl) => {
  // SQLite has no connection to lose.
  if (dialect === 'sqlite') return

  test('a message is answered with 201 and published if the connection that looks up its author is lost, once or twice', async () => {
    const url = await newUrl()
    const relay = await Relay.before(url)
    const rooms = await openRooms({ url: relay.through(url) })
    try {
      const gus = await guest(rooms, 'Gus')
      const { id } = await createRoom(await member(rooms, 'Olga'))
      // Opens connections for concurrent statements, and takes the name, which makes the guest's
      // name get a suffix.
      const other = await guest(rooms, 'Gus')
      for (const { browser } of [other, gus]) await browser.send(`/api/rooms/${id}/join`, { method: 'POST' })
      const createMessage = async (content: string) => {
        rooms.publishedEvents.length = 0
        const response = await gus.browser.send(`/api/rooms/${id}/messages`, { body: { content } })
        expect([content, response.status]).toEqual([content, 201])
        const { message } = (await response.json()) as { message: { seq: number; nickname: string } }
        const event = expect.objectContaining({ event: 'message.created', data: { message } })
        expect(rooms.publishedEvents).toContainEqual({ kind: 'event', roomId: id, event })
        return message
      }
      const suffixed = `Gus #${gus.user.id.slice(0, 4)}`
      expect(await createMessage('before')).toMatchObject({ seq: 2, nickname: suffixed })

      relay.loseAnswerTo(CALLED)
      expect(await createMessage('once')).toMatchObject({ seq: 3, nickname: suffixed })

      relay.loseAnswerTo(CALLED)
      rooms.rooms.database.afterWrite(() => relay.loseAnswerTo(CALLED))
      expect(await createMessage('twice')).toMatchObject({ seq: 4, nickname: 'Gus' })
    } finally {
      await rooms.close()
      relay.close()
    }
  })
})
