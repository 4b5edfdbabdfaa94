// Accounts that are erased between the session lookup and the operation (R15.1, R28.22).
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { type SignedInUser, refusal, signedInUser } from '../actions.ts'
import { roomsPerTest } from '../per-test.ts'
import { untilRequestsWait } from '../rooms/locks.ts'
import type { TestRooms } from '../rooms.ts'

const { rooms } = roomsPerTest()

/** The response to a request that found its session and whose account is erased when it writes. */
async function whileErased(
  service: TestRooms,
  erased: SignedInUser,
  act: () => Promise<Response>,
): Promise<Response> {
  const { database } = service.rooms
  const { answer } = await database.write(async (tx) => {
    await tx.deleteFrom('users').where('id', '=', erased.id).execute()
    // Inside an object, because returning the promise itself would make the transaction wait for a
    // request that waits for the transaction.
    const started = { answer: act() }
    await untilRequestsWait(service, tx)
    return started
  })
  return answer
}

eachDialect((_dialect, newUrl) => {
  test('a request by an account that is erased at the same moment is answered as signed out, not with an internal error', async () => {
    const service = await rooms({ url: await newUrl() })
    await signedInUser(service, { sub: 'admin', name: 'Ada' })
    for (const [address, body] of [
      ['/api/auth/logout', {}],
      ['/api/auth/logout', { everywhere: true }],
      ['/api/rooms', { name: 'Quay' }],
      ['/api/ws-ticket', {}],
    ] as const) {
      const eva = await signedInUser(service, { sub: 'eva', name: 'Eva' })
      const answer = await whileErased(service, eva, () =>
        eva.browser.send(address, { method: 'POST', body }),
      )
      expect([address, await refusal(answer)]).toEqual([address, [401, 'unauthenticated']])
      expect(eva.browser.token).toBeUndefined()
    }
    expect(service.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  test('a request about an account that is erased at the same moment is answered with not found', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await signedInUser(service, { sub: 'admin', name: 'Ada' })
    for (const [method, path, body] of [
      ['PUT', 'platform-admin', { granted: true }],
      ['PATCH', 'status', { disabled: true }],
    ] as const) {
      const eva = await signedInUser(service, { sub: 'eva', name: 'Eva' })
      const answer = await whileErased(service, eva, () =>
        ada.browser.send(`/api/admin/users/${eva.id}/${path}`, { method, body }),
      )
      expect([path, await refusal(answer)]).toEqual([path, [404, 'not_found']])
    }
    expect((await ada.browser.send('/api/session')).status).toBe(200)
    expect(service.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })
})
