import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type MessageJson,
  type TestUser,
  createMessage,
  createRoom,
  editMessage,
  guest,
  join,
  keepVisitor,
  makeMember,
  member,
  postMessage,
  react,
  readMessages,
  refusal,
  succeed,
} from '../actions.ts'
import { openRooms } from '../rooms.ts'

eachDialect((dialect, newUrl) => {
  test('R22 R29.2: a message is edited edits_per_message times, each counts as a message, and the texts come in pages', async () => {
    const rooms = await openRooms({ url: await newUrl(), limits: { edits_per_message: 7 } })
    const [owner, gustav] = [await member(rooms, 'Olga'), await guest(rooms)]
    const { id } = await createRoom(owner)
    const message = await createMessage(owner, id, 'Text 0')
    for (let edit = 1; edit <= 7; edit++)
      expect((await editMessage(owner, id, message.id, `Text ${edit}`)).status).toBe(200)
    expect(await refusal(await editMessage(owner, id, message.id, 'Text 8'))).toEqual([409, 'limit_reached'])
    const path = `/api/rooms/${id}/messages/${message.id}/versions`
    const texts: string[] = []
    let cursor: string | null = ''
    while (cursor !== null && texts.length < 20) {
      const query = `?limit=3${cursor && `&cursor=${cursor}`}`
      const page: VersionPage = await owner.browser.json<VersionPage>(path + query)
      expect(page.versions.length).toBeLessThanOrEqual(3)
      texts.push(...page.versions.map(({ content }) => content))
      cursor = page.nextCursor
    }
    expect(texts).toEqual([0, 1, 2, 3, 4, 5, 6].map((edit) => `Text ${edit}`))
    const own = await createMessage(gustav, id, 'Guest')
    for (let edit = 1; edit < 5; edit++)
      expect((await editMessage(gustav, id, own.id, `Guest ${edit}`)).status).toBe(200)
    const refused = await editMessage(gustav, id, own.id, 'Too fast')
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(await refusal(refused)).toEqual([429, 'rate_limited'])
    expect(await refusal(await postMessage(gustav, id, { content: 'Too fast' }))).toEqual([
      429,
      'rate_limited',
    ])
    await rooms.close()
  })

  if (dialect === 'postgres') return

  test('R17.9c R36.1b: whom a full room refuses at the door can write by no other way, and reads as before', async () => {
    const rooms = await openRooms({ url: await newUrl(), settings: { guestFiles: 'images' } })
    const [owner, bob, vera, late, gustav] = [
      await member(rooms, 'Olga'),
      await member(rooms, 'Bob'),
      await member(rooms, 'Vera'),
      await member(rooms, 'Lars'),
      await guest(rooms),
    ]
    const { id } = await createRoom(owner, { maxParticipants: 2 })
    await keepVisitor(rooms, id, late)
    const early = await createMessage(late, id, 'Written while there was room')
    for (const who of [bob, vera, owner]) expect((await join(who, id)).status).toBe(200)
    for (const who of [late, gustav]) {
      const attempts = [
        () => join(who, id),
        () => postMessage(who, id, { content: 'Through the wall' }),
        () => react(who, id, early.id, '👍'),
        () => upload(who, id),
        ...(who === late ? [() => editMessage(late, id, early.id, 'Through the wall')] : []),
      ]
      for (const attempt of attempts) expect(await refusal(await attempt())).toEqual([409, 'room_full'])
    }
    expect((await readMessages(late, id)).messages.map(({ content }) => content)).toEqual([
      'Written while there was room',
    ])
    // Who is present writes, and so does a member who is not.
    await createMessage(bob, id, 'Inside')
    await makeMember(rooms, id, late, 'speaker')
    await createMessage(late, id, 'A member')
    rooms.clock.ms += 46_000
    expect((await join(gustav, id)).status).toBe(200)
    await createMessage(gustav, id, 'There is room again')
    await rooms.close()
  })

  test('R29.2: a text changed elsewhere since it was read is not overwritten unseen', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    const owner = await member(rooms, 'Olga')
    const { id } = await createRoom(owner)
    const message = await createMessage(owner, id, 'First')
    const edit = (content: string, editedAt: unknown) =>
      owner.browser.send(`/api/rooms/${id}/messages/${message.id}`, {
        method: 'PATCH',
        body: { content, editedAt },
      })
    const { message: second } = await succeed<{ message: MessageJson }>(edit('Second', null))
    const refused = await edit('Second of another tab', null)
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ code: 'message_changed', message: second })
    // A save whose answer was lost is repeated without harm.
    expect((await edit('Second', null)).status).toBe(200)
    const { message: third } = await succeed<{ message: MessageJson }>(edit('Third', second['editedAt']))
    // The clock has not moved, and still each version has a moment of its own.
    expect(third['editedAt']).not.toBe(second['editedAt'])
    expect(await refusal(await edit('Late', second['editedAt']))).toEqual([409, 'message_changed'])
    for (const nonsense of ['yesterday', 7]) expect((await edit('Odd', nonsense)).status).toBe(400)
    expect((await editMessage(owner, id, message.id, 'Fourth')).status).toBe(200)
    expect((await readMessages(owner, id)).messages.map(({ content }) => content)).toEqual(['Fourth'])
    await rooms.close()
  })
})

interface VersionPage {
  versions: { content: string }[]
  nextCursor: string | null
}

function upload({ browser }: TestUser, roomId: string): Promise<Response> {
  const body = new FormData()
  body.set('file', new File(['text'], 'notes.txt'))
  return browser.send(`/api/rooms/${roomId}/files`, { method: 'POST', body })
}
