import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { VERSION } from '../../src/api/version.ts'
import { ORIGIN, type TestRooms, openRooms } from '../rooms.ts'

let rooms: TestRooms
beforeAll(async () => {
  rooms = await openRooms({ settings: { guestEnabled: false, guestRooms: false } })
})
afterAll(() => rooms.close())

describe('before the first sign-in', () => {
  test('the configuration has the name of the instance and the ways to sign in', async () => {
    expect(await rooms.browser().json('/api/config')).toEqual({
      productName: 'Latchkey Rooms',
      supportUrl: null,
      announcement: null,
      guestEnabled: false,
      guestRooms: false,
      provider: { label: 'Test provider', mode: 'oidc' },
      voice: 'off',
      retention: { usual: 'forever', maxDays: null },
      pushKey: expect.stringMatching(/^[\w-]{87}$/) as string,
      demo: false,
      version: VERSION,
    })
    expect(await rooms.browser().json('/api/auth/config')).toEqual({
      provider: { label: 'Test provider', mode: 'oidc' },
      guestEnabled: false,
    })
  })

  test('R28.23: discovery lists https URLs of the canonical origin, whatever the transport and the headers say', async () => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
    }
    expect(await rooms.browser().json('/api/discover', { headers })).toEqual({
      apiUrl: `${ORIGIN}/api`,
      wsUrl: 'wss://rooms.example.com/api/ws',
      voice: 'off',
      version: VERSION,
      guestEnabled: false,
      authProvider: 'oidc',
      providerName: 'Test provider',
    })
  })
})
