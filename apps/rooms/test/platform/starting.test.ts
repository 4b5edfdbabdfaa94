import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { openRooms } from '../rooms.ts'

eachDialect((_dialect, newUrl) => {
  test('L82 (R8.5): another provider than at the last start is announced in log and audit, and the start goes on', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    const said = () => rooms.logged.filter((line) => line.includes('the identity provider has changed'))
    const events = () =>
      rooms.rooms.database.read
        .selectFrom('audit_events')
        .selectAll()
        .where('action', '=', 'provider.changed')
        .execute()
    const other = rooms.idp.oauth2Config()
    // Nobody has an account yet: nothing is lost.
    await (await rooms.node({ provider: other })).close()
    await (await rooms.node()).close()
    expect([said(), await events()]).toEqual([[], []])
    await rooms.signedIn()
    await (await rooms.node()).close()
    expect([said(), await events()]).toEqual([[], []])
    const changed = await rooms.node({ provider: other })
    expect(said()).toHaveLength(1)
    const [event, ...more] = await events()
    expect(more).toEqual([])
    expect(event).toMatchObject({ actor_user_id: null, client_ip: null })
    expect(JSON.parse(event?.metadata ?? '')).toEqual({
      from: { mode: 'oidc', issuer: rooms.idp.issuer },
      to: { mode: 'oauth2', issuer: `oauth2:${rooms.idp.issuer}` },
      unreachableAccounts: 1,
    })
    await (await rooms.node({ provider: other })).close()
    expect(said()).toHaveLength(1)
    await changed.close()
    await rooms.close()
  })

  test('R8.5: where another provider leaves nobody to administer, the start says how to make an administrator', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    const hint = 'latchkey rooms admin grant'
    await rooms.signedIn()
    await (await rooms.node()).close()
    expect(rooms.logged.join('')).not.toContain(hint)
    const other = { provider: rooms.idp.oauth2Config() }
    await (await rooms.node(other)).close()
    expect(rooms.logged.join('')).toContain(hint)
    rooms.logged.length = 0
    await (await rooms.node()).close()
    expect(rooms.logged.join('')).not.toContain(hint)
    await rooms.close()
  })

  test('R9.2: without a first administrator the start says how to make one, until there is one', async () => {
    const rooms = await openRooms({ url: await newUrl(), settings: { adminBootstrap: 'off' } })
    const hint = 'latchkey rooms admin grant'
    expect(rooms.logged.join('')).toContain(hint)
    rooms.logged.length = 0
    await (await rooms.node({ adminBootstrap: 'first-login' })).close()
    expect(rooms.logged.join('')).not.toContain(hint)
    await rooms.close()
  })
})
