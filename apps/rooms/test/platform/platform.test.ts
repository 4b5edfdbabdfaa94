import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { VERSION } from '../../src/version.ts'
import { ORIGIN, type TestRooms, openRooms } from '../rooms.ts'

let rooms: TestRooms
beforeAll(async () => {
  rooms = await openRooms({ settings: { guestEnabled: false, guestRooms: false } })
})
afterAll(() => rooms.close())

describe('before anybody has signed in', () => {
  test('the configuration says how the instance is called and how to get in', async () => {
    expect(await rooms.browser().json('/api/config')).toEqual({
      productName: 'Latchkey Rooms',
      supportUrl: null,
      announcement: null,
      guestEnabled: false,
      guestRooms: false,
      provider: { label: 'Test provider', mode: 'oidc' },
      demo: false,
      version: VERSION,
    })
    expect(await rooms.browser().json('/api/auth/config')).toEqual({
      provider: { label: 'Test provider', mode: 'oidc' },
      guestEnabled: false,
    })
  })

  test('R28.23: discovery names https addresses of the canonical origin, whatever the transport and the headers say', async () => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
    }
    expect(await rooms.browser().json('/api/discover', { headers })).toEqual({
      apiUrl: `${ORIGIN}/api`,
      wsUrl: 'wss://rooms.example.com/api/ws',
      voiceUrl: null,
      version: VERSION,
      guestEnabled: false,
      authProvider: 'oidc',
      providerName: 'Test provider',
    })
  })
})
