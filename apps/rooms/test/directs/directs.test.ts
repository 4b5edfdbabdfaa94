import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type RoomJson,
  createMessage,
  deleteMessage,
  endMembership,
  eraseAccount,
  guest,
  markRead,
  member,
  pin,
  postMessage,
  readContents,
  refusal,
  signedInUser,
  succeed,
} from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { createDirect, listDirects, postDirect } from './actions.ts'

eachDialect((dialect, newUrl) => {
  /** Two nodes on one PostgreSQL database; one node on SQLite. */
  let nodes: readonly [TestRooms, TestRooms]
  let rooms: TestRooms
  beforeAll(async () => {
    const limits = { directs_per_hour: 100 }
    const url = await newUrl()
    rooms = await openRooms({ url, limits })
    nodes = [rooms, dialect === 'postgres' ? await openRooms({ url, limits, shared: rooms }) : rooms]
  })
  afterAll(async () => {
    for (const node of new Set(nodes).values()) await node.close()
  })
  const namesOf = (people: readonly { nickname: string }[]) => people.map(({ nickname }) => nickname)

  test('R37.2: 50 equal requests at once on two nodes make one direct conversation', async () => {
    const [ada, bob] = [await member(nodes[0], 'Ada'), await member(nodes[1], 'Bob')]
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const [sender, other] = index % 2 === 0 ? [ada, bob] : [bob, ada]
        const response = await postDirect(sender, [other.user.id])
        const { room } = (await response.json()) as { room: RoomJson }
        return [response.status, room.id] as const
      }),
    )
    expect(new Set(answers.map(([, id]) => id)).size).toBe(1)
    expect(answers.filter(([status]) => status === 201)).toHaveLength(1)
    expect(answers.filter(([status]) => status === 200)).toHaveLength(49)
  })

  test('R37.2: there is one conversation for a set of people, in any order and with doubled ids', async () => {
    const [ada, bob, eva] = [
      await member(rooms, 'Ada'),
      await member(rooms, 'Bob'),
      await member(rooms, 'Eva'),
    ]
    const { id, people, ...room } = await createDirect(ada, eva, bob, bob, ada)
    expect(room).toMatchObject({
      kind: 'direct',
      name: 'Bob, Eva',
      ownerId: null,
      role: 'speaker',
      visibility: 'private',
    })
    expect(room).toMatchObject({
      createdBy: null,
      retention: 'forever',
      allowGuests: false,
      canPublish: true,
    })
    expect(people.map((person) => person.id)).toEqual([bob.user.id, eva.user.id])
    const again = await succeed<{ room: RoomJson }>(postDirect(bob, [eva.user.id, ada.user.id]))
    expect(again.room).toMatchObject({ id, name: 'Ada, Eva' })
    // Any other set is another conversation.
    expect((await createDirect(ada, bob)).id).not.toBe(id)
  })

  test('R37.2: a direct conversation has 2 to 20 people', async () => {
    const ada = await member(rooms)
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, index) => member(rooms, `Colleague ${index}`)),
    )
    const ids = others.map(({ user }) => user.id)
    for (const wrong of [[], [ada.user.id], [ada.user.id, ada.user.id], ids, ['x'], [null], 'x'])
      expect(await refusal(await postDirect(ada, wrong as string[]))).toEqual([400, 'invalid_request'])
    const room = await createDirect(ada, ...others.slice(1))
    expect(namesOf(room.people)).toHaveLength(19)
  })

  test('R37.4a: unknown people, guests and disabled accounts are one and the same 404', async () => {
    const [ada, bob, disabled] = [await member(rooms), await member(rooms), await member(rooms)]
    await rooms.rooms.database.write((tx) =>
      tx.updateTable('users').set({ disabled: 1 }).where('id', '=', disabled.user.id).execute(),
    )
    const wrong = [crypto.randomUUID(), (await guest(rooms)).user.id, disabled.user.id]
    const answers = await Promise.all(
      wrong
        .flatMap((id) => [[id], [bob.user.id, id]])
        .map(async (ids) => (await postDirect(ada, ids)).text()),
    )
    expect(new Set(answers).size).toBe(1)
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ code: 'not_found' })
    expect(await listDirects(ada)).toEqual([])
  })

  test('R37.2c, R37.2f: the others see a conversation from its first message on, which counts as a mention', async () => {
    const [ada, bob] = [await member(rooms, 'Ada'), await member(rooms, 'Bob')]
    const { id } = await createDirect(ada, bob)
    expect([(await listDirects(ada)).map((room) => room.id), await listDirects(bob)]).toEqual([[id], []])
    const { seq } = await createMessage(ada, id, 'Hello Bob')
    await createMessage(ada, id, 'How are you?')
    const [listed] = await listDirects(bob)
    expect(listed).toMatchObject({ id, name: 'Ada', unread: 2, mentions: 2, notificationLevel: 'mentions' })
    expect(await markRead(bob, id, seq)).toMatchObject({ unread: 1, mentions: 1 })
    expect((await listDirects(ada))[0]).toMatchObject({ unread: 0, mentions: 0 })
  })

  test('R37.2d: a conversation that a person leaves is hidden from them until its next message', async () => {
    const [ada, bob] = [await member(rooms, 'Ada'), await member(rooms, 'Bob')]
    const { id } = await createDirect(ada, bob)
    const { id: messageId } = await createMessage(ada, id, 'Hello')
    await succeed(endMembership(bob, id))
    // Another event is no message.
    await succeed(pin(ada, id, messageId))
    expect([await listDirects(bob), (await listDirects(ada)).length]).toEqual([[], 1])
    expect(await readContents(bob, id)).toEqual(['Hello'])
    await createMessage(ada, id, 'Bob?')
    expect((await listDirects(bob)).map((room) => room.id)).toEqual([id])
    await succeed(endMembership(bob, id))
    await succeed(postDirect(bob, [ada.user.id]))
    expect((await listDirects(bob)).map((room) => room.id)).toEqual([id])
  })

  test('R37.2c: the list is in the order of the last messages, in pages', async () => {
    const ada = await member(rooms, 'Ada')
    const ids: string[] = []
    for (const name of ['Bob', 'Eva', 'Finn']) {
      rooms.clock.ms += 1000
      ids.push((await createDirect(ada, await member(rooms, name))).id)
    }
    rooms.clock.ms += 1000
    await createMessage(ada, ids[0] ?? '')
    const expected = [ids[0], ids[2], ids[1]]
    expect((await listDirects(ada)).map(({ id }) => id)).toEqual(expected as string[])
    const listed: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { directs: RoomJson[]; nextCursor: string | null } = await ada.browser.json(
        `/api/directs?limit=1${cursor && `&cursor=${cursor}`}`,
      )
      listed.push(...page.directs.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(listed).toEqual(expected as string[])
  })

  test('R37.2e: a fourth person sees no old line of three, by any way', async () => {
    const [ada, bob] = [await member(rooms, 'Ada'), await member(rooms, 'Bob')]
    const [eva, finn] = [await member(rooms, 'Eva'), await member(rooms, 'Finn')]
    const three = await createDirect(ada, bob, eva)
    const { id: messageId } = await createMessage(bob, three.id, 'A plan without Finn')
    const four = await createDirect(bob, ada, eva, finn)
    expect(four.id).not.toBe(three.id)
    await createMessage(bob, four.id, 'Welcome')
    expect(await readContents(finn, four.id)).toEqual(['Welcome'])
    const ways = [
      `/api/rooms/${three.id}`,
      `/api/rooms/${three.id}/messages?around=${messageId}`,
      `/api/rooms/${four.id}/messages?around=${messageId}`,
    ]
    for (const way of ways) expect(await refusal(await finn.browser.send(way))).toEqual([404, 'not_found'])
    const reply = await postMessage(finn, four.id, { content: 'Hm', replyTo: messageId })
    expect(await refusal(reply)).toEqual([404, 'not_found'])
    const { results } = await finn.browser.json<{ results: unknown[] }>('/api/search?q=plan')
    expect(results).toEqual([])
  })

  test('R37.2b: search, and the export of its people, name a conversation after the others', async () => {
    const alice = await signedInUser(rooms, ALICE)
    const ada = { ...alice, user: { id: alice.id } }
    const bob = await member(rooms, 'Bob')
    const { id } = await createDirect(ada, bob)
    await createMessage(bob, id, 'The zeppelin leaves at noon')
    const { results } = await ada.browser.json<{ results: { room: unknown }[] }>('/api/search?q=zeppelin')
    expect(results.map(({ room }) => room)).toEqual([{ id, name: 'Bob' }])
    const file = await ada.browser.json<{ rooms: { memberships: unknown[] } }>('/api/account/export')
    expect(file.rooms.memberships).toMatchObject([{ roomId: id, kind: 'direct', name: 'Bob' }])
  })

  test('R37.4a: a person who blocks the caller is that same 404, and an existing conversation stays found and silent', async () => {
    const [ada, bob, eva] = [
      await member(rooms, 'Ada'),
      await member(rooms, 'Bob'),
      await member(rooms, 'Eva'),
    ]
    const { id } = await createDirect(ada, bob)
    await createMessage(ada, id, 'Hello')
    await succeed(endMembership(bob, id))
    for (const each of [bob, eva])
      await succeed(each.browser.send(`/api/blocks/${ada.user.id}`, { method: 'PUT' }))
    const refused = await postDirect(ada, [eva.user.id])
    const unknown = await postDirect(ada, [crypto.randomUUID()])
    expect([refused.status, await refused.text()]).toEqual([404, await unknown.text()])
    expect((await succeed<{ room: RoomJson }>(postDirect(ada, [bob.user.id]))).room.id).toBe(id)
    await createMessage(ada, id, 'Bob?')
    expect(await listDirects(bob)).toEqual([])
    // Who blocks may still write.
    await createMessage(bob, id, 'Not now')
    expect((await listDirects(bob))[0]).toMatchObject({ id, unread: 0, mentions: 0 })
    expect((await listDirects(ada))[0]).toMatchObject({ id, unread: 1, mentions: 1 })
  })

  test('R37.2a: each person may pin and mention everyone, delete only own messages, and have no settings', async () => {
    const [ada, bob] = [await member(rooms, 'Ada'), await member(rooms, 'Bob')]
    const { id } = await createDirect(ada, bob)
    const { id: own } = await createMessage(ada, id, '<!room> Hello')
    const { id: other } = await createMessage(bob, id, 'Hello')
    await succeed(pin(ada, id, other))
    expect((await bob.browser.json<{ members: unknown[] }>(`/api/rooms/${id}/members`)).members).toHaveLength(
      2,
    )
    expect(await refusal(await deleteMessage(ada, id, other))).toEqual([403, 'forbidden'])
    await succeed(deleteMessage(ada, id, own))
    const forbidden: readonly [string, string, unknown?][] = [
      ['PATCH', 'settings', { name: 'Us' }],
      ['DELETE', ''],
      ['PATCH', `members/${bob.user.id}`, { role: 'moderator' }],
      ['POST', `members/${bob.user.id}/remove`, { action: 'kick' }],
      ['GET', 'bans'],
      ['DELETE', `bans/${bob.user.id}`],
      ['GET', 'users/search?q=bob'],
      ['GET', 'invitations'],
      ['POST', 'invitations/links', {}],
      ['POST', 'invitations/users', { userId: bob.user.id }],
      ['POST', 'ownership-transfer', { userId: bob.user.id }],
      ['DELETE', 'ownership-transfer'],
      ['GET', `messages/${other}/versions`],
      ['POST', `voice/people/${bob.user.id}`, { action: 'mute' }],
    ]
    for (const [method, path, body] of forbidden) {
      const response = await ada.browser.send(`/api/rooms/${id}/${path}`.replace(/\/$/, ''), { method, body })
      expect([path, ...(await refusal(response))]).toEqual([path, 403, 'forbidden'])
    }
  })

  test('R37.2b: an erased account keeps its place in the set, and a conversation of none but such is deleted', async () => {
    const [ada, bob] = [await member(rooms, 'Ada'), await member(rooms, 'Bob')]
    const { id } = await createDirect(ada, bob)
    await createMessage(bob, id, 'Farewell')
    await succeed(eraseAccount(bob))
    const left = (await listDirects(ada))[0]
    expect(left).toMatchObject({ id, name: '#', people: [] })
    expect(await readContents(ada, id)).toEqual(['Farewell'])
    // The set is found again by the ids that it had.
    expect((await succeed<{ room: RoomJson }>(postDirect(ada, [bob.user.id]))).room.id).toBe(id)
    await succeed(eraseAccount(ada))
    rooms.clock.ms += 60 * 60_000
    await rooms.rooms.jobs.runDue()
    const rows = rooms.rooms.database.read.selectFrom('rooms').select('id').where('id', '=', id)
    expect(await rows.execute()).toEqual([])
  })
})

test('R37.2: with directs_per_hour 0, conversations are found and none is created', async () => {
  const rooms = await openRooms()
  const [ada, bob, eva] = [await member(rooms), await member(rooms), await member(rooms)]
  const { id } = await createDirect(ada, bob)
  const off = await rooms.node({ limits: { ...rooms.limits, directs_per_hour: 0 } })
  const there = off.browser()
  for (const [name, value] of ada.browser.cookies) there.cookies.set(name, value)
  const adaThere = { browser: there }
  expect(await refusal(await postDirect(adaThere, [eva.user.id]))).toEqual([403, 'forbidden'])
  expect((await succeed<{ room: RoomJson }>(postDirect(adaThere, [bob.user.id]))).room.id).toBe(id)
  await off.close()
  await rooms.close()
})

test('R37.2: directs_per_hour limits how many conversations a person creates, not how often they find one', async () => {
  const rooms = await openRooms({ limits: { directs_per_hour: 2 } })
  const [ada, bob] = [await member(rooms, 'Ada'), await member(rooms, 'Bob')]
  const [eva, finn] = [await member(rooms, 'Eva'), await member(rooms, 'Finn')]
  await createDirect(ada, bob)
  await createDirect(ada, eva)
  expect(await refusal(await postDirect(ada, [finn.user.id]))).toEqual([429, 'rate_limited'])
  for (let times = 0; times < 3; times++) await succeed(postDirect(ada, [bob.user.id]))
  await rooms.close()
})

test('R34: guests have no direct conversations', async () => {
  const rooms = await openRooms()
  const [ada, gustav] = [await member(rooms), await guest(rooms)]
  expect(await refusal(await postDirect(gustav, [ada.user.id]))).toEqual([403, 'guest_not_permitted'])
  expect(await refusal(await gustav.browser.send('/api/directs'))).toEqual([403, 'guest_not_permitted'])
  await rooms.close()
})
