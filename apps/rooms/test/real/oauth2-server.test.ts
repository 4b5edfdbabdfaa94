import { describe, expect, test } from 'bun:test'
import { documentedJson, documentedSettings } from './documented.ts'
import { type Registration, type UserInfo, startOAuth2Server } from './oauth2-server.ts'
import { pair, proveLogins, proveRefusal, proveSilence, signIn, signOut, readUser } from './proofs.ts'

describe('an OAuth 2.0 server with numeric ids and nested user information', () => {
  const up = pair({
    provider(rooms) {
      const addresses = { 'https://rooms.example.com': rooms, 'https://login.example.com': '' }
      return startOAuth2Server(
        documentedJson('oauth2.md', 'client_id', addresses) as Registration,
        documentedJson('oauth2.md', 'data', addresses) as UserInfo,
      )
    },
    settings: (addresses) => documentedSettings('oauth2.md', addresses),
  })
  proveLogins(up)
  proveRefusal(up)

  test('logout ends the session here and redirects nowhere, because the provider has no logout page', async () => {
    const person = await signIn(up)
    expect(await signOut(up, person)).toEqual({ success: true })
    expect(await readUser(up, person)).toBeUndefined()
  })

  test('sessions cannot be ended from outside', async () => {
    const person = await signIn(up)
    const body = new URLSearchParams({ logout_token: 'e30.e30.e30' })
    const answer = await fetch(`${up.origin}/api/auth/backchannel-logout`, { method: 'POST', body })
    expect(answer.status).toBe(404)
    expect(await readUser(up, person)).toBeDefined()
  })
  proveSilence(up)
})
