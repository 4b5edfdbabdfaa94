// What is committed is told and answered, whichever other connection to the database is lost meanwhile (R18.4).
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { Relay } from '@latchkey/database/testing-relay'
import { createRoom, guest, member } from '../actions.ts'
import { openRooms } from '../rooms.ts'

/** Of the statement that looks up what the author is called, beside the transaction that stores the message. */
const CALLED = 'as "nickname", "users"."avatar_color" from "users"'

eachDialect((dialect, newUrl) => {
  // No connection to lose.
  if (dialect === 'sqlite') return

  test('a message is answered with 201 and told when the connection is lost on which its author was looked up, once or twice', async () => {
    const url = await newUrl()
    const relay = await Relay.before(url)
    const rooms = await openRooms({ url: relay.through(url) })
    try {
      const gus = await guest(rooms, 'Gus')
      const { id } = await createRoom(await member(rooms, 'Olga'))
      // Makes connections for what is done at once, and takes the name, so that the guest is not called by it alone.
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
      expect(await createMessage('before')).toMatchObject({ seq: 1, nickname: suffixed })

      relay.loseAnswerTo(CALLED)
      expect(await createMessage('once')).toMatchObject({ seq: 2, nickname: suffixed })

      relay.loseAnswerTo(CALLED)
      rooms.rooms.database.afterWrite(() => relay.loseAnswerTo(CALLED))
      expect(await createMessage('twice')).toMatchObject({ seq: 3, nickname: 'Gus' })
    } finally {
      await rooms.close()
      relay.close()
    }
  })
})
