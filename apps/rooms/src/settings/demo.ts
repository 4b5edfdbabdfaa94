import { type Environment, parseSettings } from '@latchkey/settings/settings'
import { declarations } from './declarations.ts'
import { type Settings, readSettings } from './settings.ts'

/** Address of the demo and of its identity provider. */
export const LOOPBACK = '127.0.0.1'

export const DEMO_DATABASE_URL = 'sqlite:./data/rooms-demo.db'
export const DEMO_FILES = './data/rooms-demo-files'

/**
 * Values that are known when the identity provider of the demo listens. Port 0 means any free port.
 */
interface DemoParts {
  port: number
  secret: string
  issuer: string
}

/** Values until it listens. */
const PLACEHOLDERS: DemoParts = { port: 0, secret: 'to come', issuer: `http://${LOOPBACK}` }

/** Settings of the demo, which override some of the operator's. Throws `SettingsError`. */
export function readDemoSettings(env: Environment, { port, secret, issuer } = PLACEHOLDERS): Settings {
  return readSettings({
    ...withDemoDatabase(env),
    ...(port > 0 && { ROOMS_PORT: String(port) }),
    ROOMS_HOST: LOOPBACK,
    ALLOWED_HOSTS: port > 0 ? `http://localhost:${port},http://${LOOPBACK}:${port}` : 'http://localhost',
    AUTH_PROVIDER: 'teamidp',
    AUTH_PROVIDER_LABEL: 'Demo ID',
    AUTH_CLIENT_ID: 'latchkey-rooms',
    AUTH_CLIENT_SECRET: secret,
    AUTH_SCOPES: 'openid profile email teams:read',
    TEAMIDP_ISSUER: issuer,
    GUEST_ENABLED: 'true',
    ROOMS_VOICE: env['ROOMS_VOICE'] || 'mesh',
  })
}

/** The port that the operator configured; 0 means any free port. Throws `SettingsError`. */
export function demoPort(env: Environment): number {
  return parseSettings({ port: declarations.port }, env).port
}

/**
 * The reason why the demo must not run: production, or an address that other machines can reach.
 * Undefined if it may run.
 */
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

/**
 * Keeps users of the demo out of the production database unless the operator names one: the first
 * of them is an administrator. The same holds for files.
 */
function withDemoDatabase(env: Environment): Environment {
  const { name } = declarations.databaseUrl
  const withFiles = env[declarations.files.name] ? env : { ...env, [declarations.files.name]: DEMO_FILES }
  return env[name] || env[`${name}_FILE`] ? withFiles : { ...withFiles, [name]: DEMO_DATABASE_URL }
}
