import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  acceptInvitation,
  changeSettings,
  createInvitationLink,
  createRoom,
  guest,
  join,
  makeMember,
  member,
  refusal,
} from '../actions.ts'
import { listen } from '../realtime/live.ts'
import { openRooms } from '../rooms.ts'

eachDialect((_dialect, newUrl) => {
  test('R36.1 R36.1a R36.1c: a number counts the visitors and guests present, and members neither count nor are refused', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    const live = listen(rooms.rooms)
    const people = await Promise.all(
      ['Olga', 'Mia', 'Max', 'Vera', 'Viktor', 'Late'].map((name) => member(rooms, name)),
    )
    const [owner, mia, max, vera, viktor, late] = people as [
      TestUser,
      TestUser,
      TestUser,
      TestUser,
      TestUser,
      TestUser,
    ]
    const { id } = await createRoom(owner, { maxParticipants: 2 })
    await makeMember(rooms, id, mia)
    await makeMember(rooms, id, max, 'moderator')
    const enter = async (who: TestUser) => (await live.connect(who.browser).subscribe(id))['code'] ?? 'in'
    for (const who of [owner, mia, vera, viktor]) expect(await enter(who)).toBe('in')
    expect(await enter(late)).toBe('room_full')
    expect(await refusal(await join(late, id))).toEqual([409, 'room_full'])
    expect(await enter(max)).toBe('in')
    // Membership is for those who are invited, whether or not there is a place.
    const { token } = await createInvitationLink(owner, id)
    expect((await acceptInvitation(late, token)).status).toBe(200)
    expect(await enter(late)).toBe('in')
    const nina = await member(rooms, 'Nina')
    expect(await enter(nina)).toBe('room_full')
    // A visitor who becomes a member leaves the place to another.
    await makeMember(rooms, id, viktor)
    expect(await enter(nina)).toBe('in')
    // A guest counts as one also as a member.
    const gustav = await guest(rooms)
    await makeMember(rooms, id, gustav)
    expect(await enter(gustav)).toBe('room_full')
    expect((await changeSettings(owner, id, { maxParticipants: null })).status).toBe(200)
    expect(await enter(gustav)).toBe('in')
    await live.stop()
    await rooms.close()
  })

  test('R17.9d R36.1b: without a number, only guest_present_room limits guests; of ten who come together, as many enter as there are places', async () => {
    const rooms = await openRooms({
      url: await newUrl(),
      limits: { guest_present_room: 3, guest_sockets_prefix: 100 },
    })
    const live = listen(rooms.rooms)
    const owner = await member(rooms)
    const { id } = await createRoom(owner)
    const guests = await Promise.all(Array.from({ length: 10 }, (_, n) => guest(rooms, `Guest ${n}`)))
    const codesOf = async (who: readonly TestUser[], roomId: string) => {
      const enter = ({ browser }: TestUser) => live.connect(browser).subscribe(roomId)
      return (await Promise.all(who.map(enter)))
        .map(({ code }) => (typeof code === 'string' ? code : 'in'))
        .toSorted()
    }
    expect(await codesOf(guests, id)).toEqual([
      ...Array.from({ length: 3 }, () => 'in'),
      ...Array.from({ length: 7 }, () => 'room_full'),
    ])
    const { id: small } = await createRoom(owner, { maxParticipants: 4 })
    const visitors = await Promise.all(Array.from({ length: 6 }, (_, n) => member(rooms, `Visitor ${n}`)))
    expect(await codesOf(visitors, small)).toEqual(['in', 'in', 'in', 'in', 'room_full', 'room_full'])
    await live.stop()
    await rooms.close()
  })
})
