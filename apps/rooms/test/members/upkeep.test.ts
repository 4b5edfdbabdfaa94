import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { roomJobs } from '../../src/jobs/rooms.ts'
import {
  type TestUser,
  acceptInvitation,
  ban,
  createInvitationLink,
  createRoom,
  declineInvitation,
  inviteUser,
  makeMember,
  member,
  offerRoom,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const HOUR = 3_600_000

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl() })
    owner = await member(rooms)
  })
  afterAll(() => rooms.close())

  const db = () => rooms.rooms.database.read
  const run = async (name: string) => {
    const job = roomJobs.find((each) => each.name === name)
    expect(job?.everyMs).toBe(HOUR)
    await rooms.rooms.database.write(async (tx) => void (await job?.run(tx, rooms.clock.ms)))
  }

  test('R28.4: expired, used-up and declined invitations are deleted, and no others', async () => {
    const { id } = await createRoom(owner)
    const links = (body: Record<string, unknown>) => createInvitationLink(owner, id, body)
    const [bob, cem] = [await member(rooms), await member(rooms)]
    await links({ expiresInHours: 1 })
    const used = await links({ expiresInHours: 3 })
    const half = await links({ expiresInHours: 3, maxUses: 2 })
    for (const { token, who } of [
      { token: used.token, who: bob },
      { token: half.token, who: cem },
    ])
      await succeed(acceptInvitation(who, token))
    const dan = await member(rooms)
    const { invitation } = await succeed<{ invitation: { id: string } }>(inviteUser(owner, id, dan), 201)
    await succeed(declineInvitation(dan, invitation.id))
    const live = await links({ expiresInHours: 2 })
    rooms.clock.ms += HOUR
    await run('invitations')
    const left = await db().selectFrom('room_invitations').select('id').execute()
    expect(new Set(left.map((row) => row.id))).toEqual(new Set([live.invitation.id, half.invitation.id]))
  })

  test('R28.4: ended cool-downs are deleted; bans and running cool-downs stay', async () => {
    const { id } = await createRoom(owner)
    const [ended, lasting, banned] = [await member(rooms), await member(rooms), await member(rooms)]
    await ban(rooms, id, ended, { untilMs: rooms.clock.ms })
    await ban(rooms, id, lasting, { untilMs: rooms.clock.ms + 1 })
    await ban(rooms, id, banned)
    await run('bans')
    const left = await db().selectFrom('room_bans').select('user_id').execute()
    expect(new Set(left.map(({ user_id }) => user_id))).toEqual(new Set([lasting.user.id, banned.user.id]))
  })

  test('R28.4: unanswered transfers are deleted after 24 hours', async () => {
    const bob = await member(rooms)
    const ids: string[] = []
    for (const later of [0, HOUR]) {
      rooms.clock.ms += later
      const { id } = await createRoom(owner)
      await makeMember(rooms, id, bob)
      await succeed(offerRoom(owner, id, bob), 201)
      ids.push(id)
    }
    rooms.clock.ms += 23 * HOUR
    await run('transfers')
    const left = await db().selectFrom('room_ownership_transfers').select('room_id').execute()
    expect(left).toEqual([{ room_id: ids[1] ?? '' }])
  })
})
