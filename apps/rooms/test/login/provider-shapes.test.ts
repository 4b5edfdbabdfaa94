// Providers that answer as others than the standard describes, with the settings of
// docs/rooms/providers.md.
import { describe, expect, test } from 'bun:test'
import type { ProviderConfig } from '../../src/identity/provider-config.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { CLIENT_ID, type HostileProvider, type Json, type Person } from '../provider/hostile.ts'
import { documentedSettings } from '../real/documented.ts'
import { openRooms } from '../rooms.ts'
import { grantsOf } from './grant-steps.ts'

/** The documented settings of a provider, with the endpoints of the test's own. */
function configOf(name: string, idp: HostileProvider): ProviderConfig {
  const addresses = { 'https://login.example.com': idp.issuer, 'https://rooms.example.com': '' }
  const { provider } = readSettings({
    AUTH_CLIENT_ID: CLIENT_ID,
    ALLOWED_HOSTS: 'https://rooms.example.com',
    ...documentedSettings('providers.md', addresses, `# ${name}\n`),
  })
  return provider.mode === 'oauth2'
    ? {
        ...provider,
        authorizationEndpoint: `${idp.issuer}/authorize`,
        tokenEndpoint: `${idp.issuer}/token`,
        userinfoEndpoint: `${idp.issuer}/userinfo`,
      }
    : provider
}

interface Shape {
  person: Person
  idToken?: (claims: Json) => Json
  userinfo?: (claims: Json) => Json
  token?: (answer: Json) => Json
}

const bob: Person = { sub: 'bob', name: 'Bob' }

const SHAPES: Record<string, Shape> = {
  Zitadel: {
    person: { ...bob, roles: ['rooms-admins'] },
    idToken: (claims) => ({ ...claims, aud: [CLIENT_ID, '284713350982148313'], azp: CLIENT_ID }),
  },
  GitHub: {
    person: bob,
    userinfo: () => ({ id: 583231, login: 'Bob', name: null, email: null, type: 'User' }),
    token: (answer) => ({ ...answer, token_type: 'bearer', scope: 'read:user' }),
  },
  Slack: {
    person: bob,
    userinfo: () => ({ ok: true, user: { id: 'U123', name: 'Bob' }, team: { id: 'T123' } }),
    token: (answer) => ({ ok: true, ...answer, token_type: 'user' }),
  },
  Entra: {
    person: bob,
    idToken: (claims) => ({
      ...claims,
      name: 'Bob',
      oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'http://127.0.0.1:1/groups' } },
      roles: ['Rooms.Admin'],
    }),
    userinfo: ({ sub }) => ({ sub, picture: 'http://127.0.0.1:1/me' }),
  },
  'Keycloak organizations': {
    person: { ...bob, organization: { harbour: { id: '42c3', roles: ['member', 'owner'] }, pier: {} } },
  },
}

describe('a provider with the settings of docs/rooms/providers.md:', () => {
  for (const [name, { person, idToken, userinfo, token }] of Object.entries(SHAPES))
    test(`${name} signs people in, and grants administration and teams by their claims`, async () => {
      // The paths of an issuer stay as documented; the provider of the test has none.
      const t = await openRooms({
        provider: (idp) => {
          const config = configOf(name, idp)
          return config.mode === 'oauth2' ? config : { ...config, issuer: idp.issuer }
        },
      })
      if (idToken) t.idp.idToken(idToken)
      if (userinfo) t.idp.userinfo(userinfo)
      if (token) t.idp.token(token)
      await t.signedInBrowser(person)
      expect(Object.values(await grantsOf(t))).toEqual([
        {
          Zitadel: ['bootstrap', 'claim'],
          Entra: ['bootstrap', 'claim'],
          'Keycloak organizations': ['bootstrap', 'team:42c3'],
        }[name] ?? ['bootstrap'],
      ])
      expect(t.logLines.join('')).not.toContain('can never match')
      await t.close()
    })
})
