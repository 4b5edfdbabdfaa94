import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { openRooms } from '../rooms.ts'

eachDialect((_dialect, newUrl) => {
  test('R1.2 R6.7: a login creates account, grants and session at once and redirects to the page where it was started', async () => {
    const t = await openRooms({ url: await newUrl() })
    const alice = t.browser()
    const answer = await alice.signIn(undefined, '/rooms/7?at=9#last')
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('https://rooms.example.com/rooms/7?at=9#last')
    const { user } = await alice.json<{ user: Record<string, unknown> }>('/api/session')
    expect(user).toMatchObject({
      nickname: 'Alice Andersson',
      email: 'alice@example.com',
      platformAdmin: true,
    })
    const sessions = await t.rooms.database.read.selectFrom('sessions').selectAll().execute()
    expect(sessions).toHaveLength(1)
    expect(sessions[0]).toMatchObject({ user_id: user['id'], idp_sub: 'alice', revoked_at: null })
    const audit = await t.rooms.database.read.selectFrom('audit_events').select('action').execute()
    expect(audit.map(({ action }) => action).toSorted()).toEqual(['auth.login', 'grant.add'])
    await t.close()
  })
})
