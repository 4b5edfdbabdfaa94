import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { listAuditEvents } from '../audit-log.ts'
import { roomsPerTest } from '../per-test.ts'
import { NOON } from '../rooms.ts'
import { browserOf, insertPerson, storedSession } from './people.ts'

const { rooms } = roomsPerTest()

eachDialect((dialect, newUrl) => {
  test('C97: the user’s own sessions are listed, newest first, with the client’s prefix and never more of its address', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const other = await insertPerson(service, { nickname: 'Other' })
    const phone = await browserOf(service, ada, { ip: '2001:db8:1:2:3:4:5:6', userAgent: 'Phone' })
    service.clock.ms += 1_000
    const laptop = await browserOf(service, ada, { userAgent: 'Laptop' })
    await browserOf(service, other)
    const ended = await browserOf(service, ada)
    await laptop.json(`/api/sessions/${ended.sessionId}`, { method: 'DELETE' })
    expect(await laptop.json('/api/sessions')).toEqual({
      sessions: [
        {
          id: laptop.sessionId,
          current: true,
          createdAt: '2026-11-21T12:00:01.000Z',
          lastSeenAt: '2026-11-21T12:00:01.000Z',
          expiresAt: '2026-11-28T12:00:01.000Z',
          userAgent: 'Laptop',
          addressPrefix: '192.0.2.1',
        },
        {
          id: phone.sessionId,
          current: false,
          createdAt: '2026-11-21T12:00:00.000Z',
          lastSeenAt: '2026-11-21T12:00:00.000Z',
          expiresAt: '2026-11-28T12:00:00.000Z',
          userAgent: 'Phone',
          addressPrefix: '2001:db8:1:2::/64',
        },
      ],
      nextCursor: null,
    })
    const { sessions, nextCursor } = await laptop.json<Page>('/api/sessions?limit=1')
    expect(sessions.map(({ id }) => id)).toEqual([laptop.sessionId])
    expect(await laptop.json<Page>(`/api/sessions?cursor=${nextCursor}`)).toMatchObject({
      sessions: [{ id: phone.sessionId }],
      nextCursor: null,
    })
    // A cursor of another person's list opens nothing.
    expect((await phone.send(`/api/rooms?cursor=${nextCursor}`)).status).toBe(400)
  })

  test('C96: the 21st session ends the oldest and no other', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const browsers = []
    for (let i = 0; i < 21; i++) {
      service.clock.ms += 1_000
      browsers.push(await browserOf(service, ada))
    }
    const statuses = []
    for (const browser of browsers) statuses.push((await browser.send('/api/session')).status)
    expect(statuses).toEqual([401, ...Array.from({ length: 20 }, () => 200)])
  })

  if (dialect === 'postgres') return

  test('a browser reads who is signed in, without data that would sign in another browser', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const browser = await browserOf(service, ada)
    const answer = await browser.json('/api/session')
    expect(answer).toEqual({
      user: {
        id: ada.id,
        nickname: 'Ada Lovelace',
        email: 'ada@example.com',
        avatarColor: '#1565c0',
        avatarUrl: null,
        identityType: 'oauth',
        platformAdmin: false,
      },
      session: {
        id: browser.sessionId,
        createdAt: '2026-11-21T12:00:00.000Z',
        expiresAt: '2026-11-28T12:00:00.000Z',
      },
      blockedIds: [],
    })
    expect(JSON.stringify(answer)).not.toContain(browser.token ?? '')
  })

  test('R9.1: a grant applies from the next request and only while it exists', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const browser = await browserOf(service, ada)
    const isAdmin = async () =>
      (await browser.json<{ user: { platformAdmin: boolean } }>('/api/session')).user
    const grant = {
      id: crypto.randomUUID(),
      user_id: ada.id,
      role: 'platform_admin' as const,
      scope_type: 'platform' as const,
      scope_id: '',
      source: 'manual' as const,
      granted_by: null,
      created_at: NOON,
    }
    const { database } = service.rooms
    await database.write((tx) => tx.insertInto('role_grants').values(grant).execute())
    expect(await isAdmin()).toMatchObject({ platformAdmin: true })
    await database.write((tx) => tx.deleteFrom('role_grants').execute())
    expect(await isAdmin()).toMatchObject({ platformAdmin: false })
  })

  test('C97: a user revokes their own sessions, and those of others are not found and stay', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const mallory = await insertPerson(service, { nickname: 'Mallory' })
    const phone = await browserOf(service, ada)
    const laptop = await browserOf(service, ada)
    const foreign = await browserOf(service, mallory)
    const foreignEnd = await foreign.send(`/api/sessions/${phone.sessionId}`, { method: 'DELETE' })
    expect([foreignEnd.status, await foreignEnd.json()]).toEqual([
      404,
      { error: 'Not found', code: 'not_found' },
    ])
    expect((await phone.send('/api/session')).status).toBe(200)
    expect(await listAuditEvents(service)).toEqual([])

    expect(await laptop.json(`/api/sessions/${phone.sessionId}`, { method: 'DELETE' })).toEqual({
      success: true,
    })
    expect((await phone.send('/api/session')).status).toBe(401)
    expect(await storedSession(service, phone.sessionId)).toMatchObject({
      revoked_at: service.clock.ms,
      revoke_reason: 'signed_out',
    })
    expect((await laptop.send('/api/session')).status).toBe(200)
    expect((await laptop.send(`/api/sessions/${phone.sessionId}`, { method: 'DELETE' })).status).toBe(404)
    expect(await listAuditEvents(service)).toEqual([
      {
        action: 'session.revoke',
        actor: ada.id,
        target: ['session', phone.sessionId],
        metadata: {},
        ip: '192.0.2.1',
      },
    ])
  })

  test('a user who revokes the current session is signed out, and the browser keeps no cookie', async () => {
    const service = await rooms({ url: await newUrl() })
    const browser = await browserOf(service, await insertPerson(service))
    const token = browser.token ?? ''
    await browser.json(`/api/sessions/${browser.sessionId}`, { method: 'DELETE' })
    expect([...browser.cookies]).toEqual([])
    browser.cookies.set('__Host-latchkey_session', token)
    expect((await browser.send('/api/session')).status).toBe(401)
  })

  test('revoking all other sessions keeps this one and those of other users', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const others = [await browserOf(service, ada), await browserOf(service, ada)]
    const mine = await browserOf(service, ada)
    const stranger = await browserOf(service, await insertPerson(service))
    const revokeOthers = { method: 'POST' }
    expect(await mine.json('/api/sessions/revoke-others', revokeOthers)).toEqual({ revoked: 2 })
    expect(await mine.json('/api/sessions/revoke-others', revokeOthers)).toEqual({ revoked: 0 })
    for (const each of others) expect((await each.send('/api/session')).status).toBe(401)
    for (const each of [mine, stranger]) expect((await each.send('/api/session')).status).toBe(200)
    const revoked = new Set((await listAuditEvents(service)).map(({ target }) => String(target)))
    expect(revoked).toEqual(new Set(others.map(({ sessionId }) => `session,${sessionId}`)))
  })

  test('a malformed session id is not found', async () => {
    const service = await rooms({ url: await newUrl() })
    const browser = await browserOf(service, await insertPerson(service))
    for (const id of [
      '1',
      'null',
      '%00',
      browser.sessionId.toUpperCase(),
      `${browser.sessionId}x`,
      '%ff',
      '..%2f',
    ])
      expect([id, (await browser.send(`/api/sessions/${id}`, { method: 'DELETE' })).status]).toEqual([
        id,
        404,
      ])
    expect((await browser.send('/api/session')).status).toBe(200)
  })
})

interface Page {
  sessions: { id: string }[]
  nextCursor: string | null
}
