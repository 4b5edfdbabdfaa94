import { type Environment, parseSettings } from '@latchkey/settings/settings'
import { declarations } from './declarations.ts'
import { type Settings, readSettings } from './settings.ts'

/** Where the demo and its identity provider listen. */
export const LOOPBACK = '127.0.0.1'

export const DEMO_DATABASE_URL = 'sqlite:./data/rooms-demo.db'

/** What is known of the demo once its provider listens; port 0 is any free one. */
interface DemoParts {
  port: number
  secret: string
  issuer: string
}

/** What stands for them before. */
const PLACEHOLDERS: DemoParts = { port: 0, secret: 'to come', issuer: `http://${LOOPBACK}` }

/** What the operator has set, and what makes it the demo. Throws `SettingsError`. */
export function readDemoSettings(env: Environment, { port, secret, issuer } = PLACEHOLDERS): Settings {
  return readSettings({
    ...withDemoDatabase(env),
    ...(port > 0 && { ROOMS_PORT: String(port) }),
    ROOMS_HOST: LOOPBACK,
    ALLOWED_HOSTS: port > 0 ? `http://localhost:${port},http://${LOOPBACK}:${port}` : 'http://localhost',
    AUTH_PROVIDER: 'teamidp',
    AUTH_PROVIDER_LABEL: 'Demo sign-in',
    AUTH_CLIENT_ID: 'latchkey-rooms',
    AUTH_CLIENT_SECRET: secret,
    AUTH_SCOPES: 'openid profile email teams:read',
    TEAMIDP_ISSUER: issuer,
    GUEST_ENABLED: 'true',
  })
}

/** The port that the operator wants; 0 for any free one. Throws `SettingsError`. */
export function demoPort(env: Environment): number {
  return parseSettings({ port: declarations.port }, env).port
}

/** Why there can be no demo here, if there cannot: it would be meant for real, or reachable from elsewhere. */
export function findDemoRefusal(env: Environment): string | undefined {
  const remedy =
    'set AUTH_PROVIDER to an identity provider of your own, or start Links alone with: latchkey links'
  if (env['NODE_ENV'] === 'production')
    return `The demo identity provider does not run in production: ${remedy}`
  const host = env['ROOMS_HOST'] || LOOPBACK
  if (host !== LOOPBACK && host !== 'localhost')
    return `The demo identity provider does not run with ROOMS_HOST=${host}: ${remedy}`
  return undefined
}

/** The demo's people are not where real ones will be, unless the operator says so: the first of them is administrator. */
function withDemoDatabase(env: Environment): Environment {
  const { name } = declarations.databaseUrl
  return env[name] || env[`${name}_FILE`] ? env : { ...env, [name]: DEMO_DATABASE_URL }
}
