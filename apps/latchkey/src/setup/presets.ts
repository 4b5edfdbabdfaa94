import { registeredAddresses } from '@latchkey/rooms/login/registered-addresses'
import { REGISTRATIONS } from './registrations.ts'

/** Answers and settings by name. */
export type Named = Readonly<Record<string, string>>

/** The settings and the registration of Rooms at one identity provider, as in docs/rooms/providers.md. */
export interface Preset {
  /** The name that people know it by. */
  readonly title: string
  /** Further answers that it needs, in the order in which they are asked. */
  readonly asks: readonly string[]
  /** Values of these answers that suit most installations. */
  readonly defaults?: Named
  /** Whether the client secret is chosen by you, not by the provider. */
  readonly hasOwnSecret?: boolean
  /** Whether it verifies no email addresses, so that Links names people by their id in Rooms. */
  readonly verifiesNoEmail?: boolean
  /** Settings of Rooms that follow from the answers. */
  readonly settings: (answers: Named) => Record<string, string>
}

const GROUPS = { GROUP_OF_PEOPLE: 'rooms', GROUP_OF_ADMINISTRATORS: 'rooms-admins' } as const
const GROUP_SCOPES = 'openid profile email groups'
const BY_GROUPS = ['OIDC_ISSUER', 'GROUP_OF_PEOPLE', 'GROUP_OF_ADMINISTRATORS'] as const

export const presets = {
  authelia: {
    title: 'Authelia',
    asks: BY_GROUPS,
    defaults: { ...GROUPS, AUTH_CLIENT_ID: 'latchkey-rooms' },
    hasOwnSecret: true,
    settings: (answers) => ({
      ...oidc('Authelia'),
      AUTH_SCOPES: GROUP_SCOPES,
      ...byGroups('groups', answers),
    }),
  },
  authentik: {
    title: 'Authentik',
    verifiesNoEmail: true,
    asks: BY_GROUPS,
    defaults: GROUPS,
    settings: (answers) => ({
      ...oidc('Authentik'),
      BACKCHANNEL_LOGOUT: 'on',
      ...byGroups('groups', answers),
    }),
  },
  dex: {
    title: 'Dex',
    asks: BY_GROUPS,
    defaults: { AUTH_CLIENT_ID: 'latchkey-rooms' },
    hasOwnSecret: true,
    settings: (answers) => ({ ...oidc('Dex'), AUTH_SCOPES: GROUP_SCOPES, ...byGroups('groups', answers) }),
  },
  entra: {
    title: 'Microsoft Entra',
    verifiesNoEmail: true,
    asks: ['TENANT', 'GROUP_OF_ADMINISTRATORS'],
    defaults: { GROUP_OF_ADMINISTRATORS: 'Rooms.Admin' },
    settings: ({ TENANT = '', GROUP_OF_ADMINISTRATORS = '' }) => ({
      ...oidc('Microsoft'),
      OIDC_ISSUER: `https://login.microsoftonline.com/${TENANT}/v2.0`,
      AUTH_NAME_PATH: 'name,preferred_username',
      AUTH_REQUIRE: `tid=${TENANT}`,
      ...admins('roles', GROUP_OF_ADMINISTRATORS),
    }),
  },
  github: {
    title: 'GitHub',
    verifiesNoEmail: true,
    asks: ['ORGANIZATION'],
    settings: ({ ORGANIZATION = '' }) => ({
      AUTH_PROVIDER: 'oauth2',
      AUTH_PROVIDER_LABEL: 'GitHub',
      AUTH_SCOPES: 'read:org',
      OAUTH_AUTHORIZATION_ENDPOINT: 'https://github.com/login/oauth/authorize',
      OAUTH_TOKEN_ENDPOINT: 'https://github.com/login/oauth/access_token',
      OAUTH_USERINFO_ENDPOINT: `https://api.github.com/user/memberships/orgs/${ORGANIZATION}`,
      OAUTH_SUBJECT_PATH: 'user.id',
      AUTH_NAME_PATH: 'user.name,user.login',
      AUTH_REQUIRE: 'state=active',
      ...admins('role', 'admin'),
    }),
  },
  gitlab: {
    title: 'GitLab',
    asks: ['OIDC_ISSUER', 'GROUP_OF_PEOPLE'],
    defaults: { OIDC_ISSUER: 'https://gitlab.com' },
    settings: ({ GROUP_OF_PEOPLE = '' }) => ({
      ...oidc('GitLab'),
      AUTH_REQUIRE: `groups=${escapeValue(GROUP_OF_PEOPLE)}`,
      ...admins('https://gitlab.org/claims/groups/owner', GROUP_OF_PEOPLE),
    }),
  },
  google: {
    title: 'Google',
    asks: ['WORKSPACE_DOMAIN'],
    settings: ({ WORKSPACE_DOMAIN = '' }) => ({
      ...oidc('Google'),
      OIDC_ISSUER: 'https://accounts.google.com',
      AUTH_REQUIRE: `hd=${WORKSPACE_DOMAIN}`,
    }),
  },
  keycloak: {
    title: 'Keycloak',
    asks: BY_GROUPS,
    defaults: { ...GROUPS, AUTH_CLIENT_ID: 'latchkey-rooms' },
    settings: (answers) => ({
      ...oidc('Keycloak'),
      BACKCHANNEL_LOGOUT: 'on',
      ...byGroups('roles', answers),
    }),
  },
  'pocket-id': {
    title: 'Pocket ID',
    asks: BY_GROUPS,
    defaults: GROUPS,
    settings: (answers) => ({
      ...oidc('Pocket ID'),
      AUTH_SCOPES: GROUP_SCOPES,
      ...byGroups('groups', answers),
    }),
  },
  zitadel: {
    title: 'Zitadel',
    asks: [
      'OIDC_ISSUER',
      'ZITADEL_PROJECT',
      'ZITADEL_ORGANIZATION',
      'ZITADEL_DOMAIN',
      'GROUP_OF_PEOPLE',
      'GROUP_OF_ADMINISTRATORS',
    ],
    defaults: GROUPS,
    settings: ({ ZITADEL_PROJECT = '', ZITADEL_ORGANIZATION = '', ZITADEL_DOMAIN = '', ...answers }) => {
      const claimOf = (role = '') =>
        `urn:zitadel:iam:org:project:roles.${role.replaceAll('.', String.raw`\.`)}.${ZITADEL_ORGANIZATION}`
      return {
        ...oidc('Zitadel'),
        AUTH_AUDIENCES: ZITADEL_PROJECT,
        BACKCHANNEL_LOGOUT: 'on',
        AUTH_REQUIRE: `${claimOf(answers['GROUP_OF_PEOPLE'])}=${ZITADEL_DOMAIN}`,
        ...admins(claimOf(answers['GROUP_OF_ADMINISTRATORS']), ZITADEL_DOMAIN),
      }
    },
  },
  oidc: {
    title: 'Another OpenID Connect provider',
    asks: ['OIDC_ISSUER', 'AUTH_REQUIRE'],
    settings: () => ({ AUTH_PROVIDER: 'oidc' }),
  },
} satisfies Record<string, Preset>

export type PresetName = keyof typeof presets
export const PRESET_NAMES = Object.keys(presets) as PresetName[]

/** The steps with which Rooms is registered at a provider, one a line. */
export function registrationSteps(name: PresetName, origin: string, answers: Named): string[] {
  return REGISTRATIONS[name]({ ...registeredAddresses(origin, true), answers })
}

function oidc(label: string): Record<string, string> {
  return { AUTH_PROVIDER: 'oidc', AUTH_PROVIDER_LABEL: label }
}

function byGroups(
  claim: string,
  { GROUP_OF_PEOPLE = '', GROUP_OF_ADMINISTRATORS = '' }: Named,
): Record<string, string> {
  const groups = [GROUP_OF_PEOPLE, GROUP_OF_ADMINISTRATORS].map(escapeValue)
  return { AUTH_REQUIRE: `${claim}=${groups.join('|')}`, ...admins(claim, GROUP_OF_ADMINISTRATORS) }
}

function admins(path: string, value: string): Record<string, string> {
  return { ADMIN_BOOTSTRAP: 'off', AUTH_ADMIN_CLAIM_PATH: path, AUTH_ADMIN_CLAIM_VALUE: value }
}

/** A value of AUTH_REQUIRE, in which these characters separate. */
function escapeValue(value: string): string {
  return value.replaceAll(/[\\,|=]/g, String.raw`\$&`)
}
