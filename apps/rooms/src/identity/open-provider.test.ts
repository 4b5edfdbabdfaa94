import { expect, test } from 'bun:test'
import { readSettings } from '../settings/settings.ts'
import { findOpenProvider } from './open-provider.ts'

const COMMON = { AUTH_CLIENT_ID: 'rooms', ALLOWED_HOSTS: 'https://rooms.example.com' }
const oidc = (OIDC_ISSUER: string, more = {}) =>
  readSettings({ ...COMMON, AUTH_PROVIDER: 'oidc', OIDC_ISSUER, ...more }).provider
const oauth2 = (authorize: string, userinfo: string, more = {}) =>
  readSettings({
    ...COMMON,
    AUTH_PROVIDER: 'oauth2',
    OAUTH_AUTHORIZATION_ENDPOINT: authorize,
    OAUTH_TOKEN_ENDPOINT: 'https://token.example.com/token',
    OAUTH_USERINFO_ENDPOINT: userinfo,
    OAUTH_SUBJECT_PATH: 'id',
    AUTH_NAME_PATH: 'name',
    ...more,
  }).provider

test('R38.1e: a provider at which everyone may have an account is open until there is a condition', () => {
  for (const [config, name] of [
    [oidc('https://accounts.google.com'), 'Google'],
    [oidc('https://gitlab.com'), 'GitLab.com'],
    [oidc('https://discord.com'), 'Discord'],
    [oidc('https://slack.com'), 'Slack'],
    [oidc('https://login.microsoftonline.com/common/v2.0'), 'Microsoft (common)'],
    [oidc('https://login.microsoftonline.com/Organizations/v2.0/'), 'Microsoft (organizations)'],
    [oauth2('https://github.com/login/oauth/authorize', 'https://api.github.com/user'), 'GitHub'],
    [oauth2('https://proxy.example.com/authorize', 'https://api.github.com/user'), 'GitHub'],
    [oauth2('https://discord.com/oauth2/authorize', 'https://discord.com/api/users/@me'), 'Discord'],
    [
      readSettings({ ...COMMON, AUTH_PROVIDER: 'teamidp', TEAMIDP_ISSUER: 'https://gitlab.com' }).provider,
      'GitLab.com',
    ],
  ] as const)
    expect(findOpenProvider(config)).toBe(name)
  for (const config of [
    oidc('https://login.example.com'),
    oidc('https://gitlab.example.com'),
    oidc('https://github.com.example.com'),
    oidc('https://harbour.ghe.com'),
    oidc('https://login.microsoftonline.com/690222be-ff1a-4d56-abd1-7e4f7d38e474/v2.0'),
    oidc('https://accounts.google.com', { AUTH_REQUIRE: 'hd=example.com' }),
    oauth2('https://git.example.com/authorize', 'https://git.example.com/api/user'),
    oauth2('https://github.com/login/oauth/authorize', 'https://api.github.com/user', {
      AUTH_REQUIRE: 'login=octocat',
    }),
  ])
    expect(findOpenProvider(config)).toBeNull()
})
