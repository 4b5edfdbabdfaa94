import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { Relay } from '@latchkey/database/testing-relay'
import { signedInUser } from '../actions.ts'
import { listAuditActions } from '../audit-log.ts'
import { openRooms } from '../rooms.ts'

eachDialect((dialect, newUrl) => {
  // SQLite has no connection to lose.
  if (dialect === 'sqlite') return

  test('a request that disables or enables a user reports the stored state when the connection is lost while rights are read', async () => {
    const url = await newUrl()
    const relay = await Relay.before(url)
    const rooms = await openRooms({ url: relay.through(url) })
    try {
      const admin = await signedInUser(rooms, { sub: 'admin', name: 'Ada' })
      const bob = await signedInUser(rooms, { sub: 'bob', name: 'Bob' })
      const patch = (disabled: boolean) =>
        admin.browser.send(`/api/admin/users/${bob.id}/status`, { method: 'PATCH', body: { disabled } })
      const isDisabled = async () => {
        const { users } = await admin.browser.json<{ users: { disabled: boolean }[] }>(
          `/api/admin/users?q=${bob.id}`,
        )
        return users[0]?.disabled
      }
      for (const disabled of [true, false]) {
        rooms.clock.ms += 1000
        const sinceMs = rooms.clock.ms
        relay.loseAnswerTo('from "role_grants" where "user_id" = any(')
        const lost = await patch(disabled)
        expect([disabled, lost.status, lost.headers.get('retry-after')]).toEqual([disabled, 503, '5'])
        expect(await isDisabled()).toBe(!disabled)
        expect(await listAuditActions(rooms, sinceMs)).toEqual([])
        const done = await patch(disabled)
        expect(done.status).toBe(200)
        expect(await done.json()).toMatchObject({ user: { id: bob.id, disabled } })
        expect(await isDisabled()).toBe(disabled)
      }
    } finally {
      await rooms.close()
      relay.close()
    }
  })
})
