import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  createMessage,
  createRoom,
  guest,
  listedRoom,
  makeMember,
  member,
  refusal,
  removeMember,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let olga: TestUser
  let mia: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl() })
    olga = await member(rooms, 'Olga')
    mia = await member(rooms, 'Mia')
  })
  afterAll(() => rooms.close())

  const setLevel = ({ browser }: TestUser, roomId: string, level: unknown) =>
    browser.send(`/api/rooms/${roomId}/notifications`, { method: 'PUT', body: { level } })
  const settingsOf = ({ browser }: TestUser) => browser.json('/api/notifications')
  const putSettings = ({ browser }: TestUser, body: unknown) =>
    browser.send('/api/notifications', { method: 'PUT', body })

  test('R30.2: each person has a level of their own per room, at first for mentions', async () => {
    const { id } = await createRoom(olga)
    await makeMember(rooms, id, mia)
    await createMessage(olga, id)
    for (const level of ['all', 'none', 'mentions', 'all']) {
      expect(await succeed(setLevel(mia, id, level))).toEqual({ level })
      expect(await listedRoom(mia, id)).toMatchObject({ notificationLevel: level, readSeq: 0, unread: 1 })
    }
    expect(await listedRoom(olga, id)).toMatchObject({ notificationLevel: 'mentions' })
    for (const wrong of ['most', null, 1])
      expect(await refusal(await setLevel(mia, id, wrong))).toEqual([400, 'invalid_request'])
  })

  test('R30.2: a level of users without membership begins their unread messages, and ends with their access', async () => {
    const { id } = await createRoom(olga)
    const gus = await guest(rooms)
    await createMessage(olga, id)
    await succeed(setLevel(gus, id, 'all'))
    expect(await listedRoom(gus, id)).toMatchObject({ notificationLevel: 'all', unread: 0 })
    await createMessage(olga, id)
    expect(await listedRoom(gus, id)).toMatchObject({ unread: 1 })
    await succeed(removeMember(olga, id, gus, { action: 'kick', cooldownMinutes: 1 }))
    expect(await refusal(await setLevel(gus, id, 'all'))).toEqual([403, 'cooldown'])
    rooms.clock.ms += 61_000
    expect(await listedRoom(gus, id)).toMatchObject({ notificationLevel: 'mentions', unread: null })
    const { id: hidden } = await createRoom(olga, { visibility: 'private' })
    expect(await refusal(await setLevel(mia, hidden, 'all'))).toEqual([404, 'not_found'])
  })

  test('R30.2: quiet hours and sound are stored per person, and off at first', async () => {
    expect(await settingsOf(mia)).toEqual({ quiet: null, sound: false })
    const night = { from: '22:00', to: '07:30', tz: 'Europe/Stockholm' }
    for (const settings of [
      { quiet: night, sound: true },
      { quiet: null, sound: true },
      { quiet: night, sound: false },
    ]) {
      expect(await succeed(putSettings(mia, settings))).toEqual(settings)
      expect(await settingsOf(mia)).toEqual(settings)
    }
    expect(await settingsOf(olga)).toEqual({ quiet: null, sound: false })
    for (const quiet of [
      { ...night, from: '24:00' },
      { ...night, to: '7:30' },
      { ...night, to: night.from },
      { ...night, tz: 'Europe/Atlantis' },
      { ...night, tz: '+01:00' },
      { ...night, tz: '' },
      { from: '22:00', to: '07:30' },
      [],
    ])
      expect(await refusal(await putSettings(mia, { quiet, sound: true }))).toEqual([400, 'invalid_request'])
    expect(await refusal(await putSettings(mia, { quiet: null }))).toEqual([400, 'invalid_request'])
    expect(await settingsOf(mia)).toEqual({ quiet: night, sound: false })
  })
})
