import { describe, expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { newSqliteUrl } from '@latchkey/database/testing'
import type { Tables } from '../../src/db/tables.ts'
import { type Addresses, documentedJson, documentedSettings } from './documented.ts'
import { type Options, type Registration, startOidcProvider } from './oidc-provider.ts'
import {
  addressesOf,
  pair,
  proveLogins,
  proveLogouts,
  proveRefusal,
  proveSilence,
  signIn,
  readUser,
} from './proofs.ts'

interface Claims {
  teams: { id: string; role: string }[]
}

function register(rooms: string, options: Omit<Options, 'client'>) {
  const addresses = { 'https://rooms.example.com': rooms, 'https://login.example.com': '' }
  const client = documentedJson('README.md', 'client_id', addresses) as Registration
  return startOidcProvider({ client, ...options })
}

const oidc = (addresses: Addresses) =>
  documentedSettings('oidc.md', addresses, '# Any OpenID Connect provider')
const teamidp = (addresses: Addresses) => documentedSettings('teamidp.md', addresses)

for (const alg of ['RS256', 'ES256'] as const)
  describe(`oidc-provider that signs with ${alg}, in the mode oidc`, () => {
    const up = pair({ provider: (rooms) => register(rooms, { alg }), settings: oidc })
    proveLogins(up)
    proveRefusal(up)
    proveLogouts(up)
    proveSilence(up)

    test('doctor finds no problem and prints the registered addresses', async () => {
      const { code, out } = await up.service.command(['doctor'])
      const registered = documentedJson('README.md', 'client_id', addressesOf(up)) as Registration
      expect(out).toContain(`redirect URI: ${registered.redirect_uris[0]}\n`)
      expect(out).toContain(`post-logout redirect URI: ${registered.post_logout_redirect_uris[0]}\n`)
      expect(out).toContain(`back-channel logout URI: ${registered.backchannel_logout_uri}\n`)
      expect(out).toContain(
        `PKCE S256, client authentication client_secret_basic, ID tokens signed with ${alg}`,
      )
      expect([code, out.match(/^fail/gm)]).toEqual([0, null])
    })
  })

describe('oidc-provider in the mode teamidp', () => {
  const none = { 'https://rooms.example.com': '', 'https://login.example.com': '' }
  const claims = documentedJson('teamidp.md', 'sub', none) as Claims & Record<string, unknown>
  const newUrl = newSqliteUrl()
  const database = { url: '' }
  const up = pair({
    provider: (rooms) => register(rooms, { alg: 'RS256', claims }),
    settings: teamidp,
    databaseUrl: async () => (database.url = await newUrl()),
  })
  proveLogins(up)
  proveRefusal(up)
  proveLogouts(up)

  test('teams that a user owns become grants, and are revoked when the claim is missing', async () => {
    const rows = openDatabase<Tables>(database.url)
    const teams = async () => {
      const grants = await rows.read
        .selectFrom('role_grants')
        .select('scope_id')
        .where('source', '=', 'teamidp')
        .orderBy('scope_id')
        .execute()
      return grants.map(({ scope_id: team }) => team)
    }
    await signIn(up)
    expect(await teams()).toEqual(['harbour', 'lighthouse'])
    claims.teams = claims.teams.filter(({ id }) => id !== 'harbour')
    const person = await signIn(up)
    expect(await teams()).toEqual(['lighthouse'])
    expect(await readUser(up, person)).toMatchObject({ nickname: 'Alice Andersson' })
    await rows.close()
  })
  proveSilence(up)
})
