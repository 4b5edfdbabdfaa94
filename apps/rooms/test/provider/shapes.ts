// Providers that answer as the real ones are documented to, each with a person whom the settings of
// its recipe in docs/rooms/providers.md admit, and one whom they refuse.
import { readSettings } from '../../src/settings/settings.ts'
import { documentedSettings } from '../real/documented.ts'
import type { TestOptions } from '../rooms.ts'
import { CLIENT_ID, type HostileProvider, type Json, type Person } from './hostile.ts'

/** The claims of a person, by where the provider sends them. */
interface Shape {
  insider: ShapedPerson
  /** None where everyone at the provider is of the instance. */
  outsider?: ShapedPerson
  /** Whether the provider itself answers nothing about people who are not its members. */
  hidesStrangers?: true
  /** The administrator by a claim and the teams of the insider. */
  grants: readonly string[]
  /** The name under which Rooms shows the insider. */
  name: string
  /** Answers of the token endpoint that differ from the standard. */
  token?: 'GitHub' | 'Slack'
}

interface ShapedPerson {
  idToken?: Json
  /** Null: the userinfo endpoint answers 404. */
  userinfo?: Json | null
}

const SUBJECT = '24400320'
const profile = { name: 'Bob Berg', preferred_username: 'bob', email: 'bob@example.com' }
const usual = { name: 'Bob Berg', grants: ['claim'] } as const

/** A provider that sends groups in userinfo. */
const groups = (own: readonly string[], more: Json = {}): ShapedPerson => ({
  userinfo: { sub: SUBJECT, ...profile, groups: own, ...more },
})

/** Sign in with Slack. */
const slack = (team: string): ShapedPerson => {
  const claims = {
    'https://slack.com/user_id': 'U0R7JM',
    'https://slack.com/team_id': team,
    'https://slack.com/team_name': 'Example',
    email: profile.email,
    email_verified: true,
    name: profile.name,
    locale: 'en-GB',
  }
  return { idToken: claims, userinfo: { ok: true, sub: SUBJECT, ...claims } }
}

const entra = (tid: string, more: Json): ShapedPerson => ({
  idToken: {
    ver: '2.0',
    tid,
    oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
    preferred_username: 'bob@example.com',
    name: 'Bob Berg',
    // Bob is in more than 200 groups.
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'http://127.0.0.1:1/users/690222be/getMemberObjects' } },
    ...more,
  },
  userinfo: { sub: SUBJECT, name: 'Bob Berg', picture: 'http://127.0.0.1:1/me/photo/$value' },
})

const ORGANIZATION = '270194573829619713'
const zitadel = (...roles: string[]): ShapedPerson => {
  const claim = Object.fromEntries(
    roles.map((role) => [role, { [ORGANIZATION]: 'example.login.example.com' }]),
  )
  return {
    idToken: {
      ...profile,
      email_verified: true,
      aud: [CLIENT_ID, '284713350982148313'],
      azp: CLIENT_ID,
      client_id: CLIENT_ID,
      'urn:zitadel:iam:org:project:roles': claim,
      'urn:zitadel:iam:org:project:284713350982148313:roles': claim,
    },
  }
}

const github = (state: string): ShapedPerson => ({
  userinfo: {
    url: 'https://api.github.com/orgs/example/memberships/bob',
    state,
    role: 'admin',
    organization: { login: 'example', id: 9919 },
    user: { login: 'bob', id: 583231, type: 'User', site_admin: false },
  },
})

const discord = (pending: boolean): ShapedPerson => ({
  userinfo: {
    avatar: null,
    nick: null,
    pending,
    roles: ['41771983423143936', '197150972374548480'],
    user: { id: '80351110224678912', username: 'bob', discriminator: '0', global_name: 'Bob Berg' },
  },
})

/** By the first line of the recipe's settings. */
export const SHAPES: Record<string, Shape> = {
  Authelia: { ...usual, insider: groups(['rooms-admins', 'dev']), outsider: groups(['dev']) },
  Authentik: {
    ...usual,
    insider: { idToken: { ...profile, email_verified: false, groups: ['rooms-admins'] } },
    outsider: { idToken: { ...profile, email_verified: false, groups: [] } },
  },
  Dex: {
    ...usual,
    insider: { idToken: { ...profile, email_verified: true, groups: ['example:rooms-admins'] } },
    outsider: { idToken: { ...profile, email_verified: true, groups: ['other:rooms'] } },
  },
  Discord: { ...usual, insider: discord(false), outsider: discord(true), hidesStrangers: true },
  GitHub: {
    ...usual,
    name: 'bob',
    insider: github('active'),
    outsider: github('pending'),
    hidesStrangers: true,
    token: 'GitHub',
  },
  'GitHub without an organization': {
    ...usual,
    name: 'bob',
    grants: ['bootstrap'],
    insider: { userinfo: { id: 583231, login: 'bob', name: null, email: null, type: 'User' } },
    outsider: { userinfo: { id: 583232, login: 'bob', name: 'Bob Berg', email: null, type: 'User' } },
    token: 'GitHub',
  },
  GitLab: {
    ...usual,
    insider: groups(['example', 'example/team'], { 'https://gitlab.org/claims/groups/owner': ['example'] }),
    outsider: groups(['other/example']),
  },
  Google: {
    ...usual,
    grants: ['bootstrap'],
    insider: { idToken: { ...profile, email_verified: true, hd: 'example.com' } },
    outsider: { idToken: { ...profile, email_verified: true } },
  },
  Keycloak: {
    ...usual,
    insider: { idToken: { ...profile, email_verified: false, roles: ['rooms-admins', 'offline_access'] } },
    outsider: { idToken: { ...profile, email_verified: false, roles: ['offline_access'] } },
  },
  Entra: {
    ...usual,
    insider: entra('9122040d-6c67-4c5b-b112-36a304b66dad', { roles: ['Rooms.Admin'] }),
    outsider: entra('9188040d-6c67-4c5b-b112-36a304b66dad', { roles: ['Rooms.Admin'] }),
  },
  'Pocket ID': { ...usual, insider: groups(['rooms-admins']), outsider: groups([]) },
  Slack: {
    ...usual,
    grants: ['bootstrap'],
    insider: slack('T0123ABCD'),
    outsider: slack('T9999ZZZZ'),
    token: 'Slack',
  },
  Zitadel: { ...usual, insider: zitadel('rooms', 'rooms-admins'), outsider: zitadel('other') },
  'Keycloak with teams': {
    ...usual,
    grants: ['bootstrap', 'team:harbour'],
    insider: {
      idToken: {
        ...profile,
        teams: [
          { id: 'harbour', role: 'owner' },
          { id: 'pier', role: 'member' },
        ],
      },
    },
  },
  Hydra: { ...usual, grants: ['bootstrap'], insider: { idToken: profile } },
  Cognito: {
    ...usual,
    insider: { idToken: { 'cognito:username': 'Bob Berg', 'cognito:groups': ['rooms', 'rooms-admins'] } },
    outsider: { idToken: { 'cognito:username': 'Bob Berg' } },
  },
}

/** A person about whom the provider answers nothing. */
export const STRANGER: ShapedPerson = { userinfo: null }

/** The person as the hostile provider signs them in. */
export const shaped = (person: ShapedPerson): Person => ({ sub: SUBJECT, ...person })

/** The settings of a recipe, as documented. */
export function recipeSettings(recipe: string): Record<string, string> {
  const addresses = {
    'https://login.example.com': 'https://login.example.com',
    'https://rooms.example.com': 'https://rooms.example.com',
  }
  return documentedSettings('providers.md', addresses, `# ${recipe}\n`)
}

/** An instance with the settings of a recipe, at a provider of its shape. */
export function recipeOptions(recipe: string): Pick<TestOptions, 'provider' | 'settings'> {
  const shape = SHAPES[recipe]
  if (!shape) throw new Error(`There is no shape of ${recipe}`)
  const { provider, adminBootstrap } = readSettings(recipeSettings(recipe))
  const own = { ...provider, clientId: CLIENT_ID }
  return {
    settings: { adminBootstrap },
    provider(idp) {
      answerAs(idp, shape)
      idp.secret = own.clientSecret
      if (own.mode !== 'oauth2') return { ...own, issuer: idp.issuer }
      return {
        ...own,
        authorizationEndpoint: `${idp.issuer}/authorize`,
        tokenEndpoint: `${idp.issuer}/token`,
        userinfoEndpoint: `${idp.issuer}/userinfo`,
      }
    },
  }
}

/** Lets a provider answer in a shape. */
function answerAs(idp: HostileProvider, { token }: Shape): void {
  idp.idToken(({ idToken, userinfo: _, ...claims }) => ({ ...claims, ...(idToken as Json) }))
  idp.answer('userinfo', async (answer, request) => {
    // GitHub and Discord refuse programs that do not say who they are.
    if (!request.headers.has('user-agent')) return new Response('no user agent', { status: 403 })
    const response = await answer()
    if (!response.ok) return response
    const { sub, userinfo } = (await response.json()) as { sub: unknown; userinfo?: Json | null }
    return userinfo === null
      ? Response.json({ message: 'Not Found' }, { status: 404 })
      : Response.json(userinfo ?? { sub })
  })
  if (token === undefined) return
  idp.answer('token', async (answer, request) => {
    const response = await answer()
    const body = (await response.json()) as Json
    if (token === 'GitHub') return answerOfGitHub(body, request.headers)
    // Apps with a client secret may not use PKCE.
    const isRefused = !response.ok || request.form.has('code_verifier')
    return Response.json(isRefused ? { ok: false, error: 'invalid_code' } : { ok: true, ...body })
  })
}

/** Refusals have the status 200, and programs that do not ask for JSON get a form. */
function answerOfGitHub({ access_token, error }: Json, headers: Headers): Response {
  const fields =
    error === undefined
      ? { access_token: String(access_token), scope: 'read:org', token_type: 'bearer' }
      : { error: 'bad_verification_code', error_description: 'The code is incorrect or expired.' }
  return headers.get('accept')?.includes('json') === true
    ? Response.json(fields)
    : new Response(new URLSearchParams(fields).toString())
}
