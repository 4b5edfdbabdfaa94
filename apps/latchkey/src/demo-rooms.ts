import { createServer } from 'node:net'
import { createToken } from '@latchkey/tokens/opaque'
import { createLog } from '@latchkey/http/log'
import type { Running } from '@latchkey/rooms/main'
import { declarations } from '@latchkey/rooms/setting-declarations'
import { readSettings, withDemoDatabase } from '@latchkey/rooms/settings'
import type { Environment } from '@latchkey/settings/settings'
import { CommandFailure } from './command.ts'

const LOOPBACK = '127.0.0.1'

/**
 * Rooms with the demo identity provider beside it: whoever tries Latchkey signs in within a minute.
 * Both listen on loopback only. Throws `CommandFailure` where it would be reachable from elsewhere.
 */
export async function startDemoRooms(env: Environment): Promise<Running> {
  refuseRealUse(env)
  // The provider is told where Rooms will be, and Rooms where the provider is, before either listens.
  const port = demoPort(env) || (await freePort())
  const secret = createToken('', 32)
  const canonical = `http://localhost:${port}`
  const { startDemoProvider } = await import('./demo/provider.ts')
  const provider = await startDemoProvider({
    // The next one, so that the issuer, and with it everybody's account, is the same at every start.
    port: demoPort(env) === 0 ? 0 : port + 1,
    client: {
      id: 'latchkey-rooms',
      secret,
      redirectUris: [`${canonical}/api/auth/callback`],
      postLogoutRedirectUris: [canonical],
      backchannelLogoutUri: `http://${LOOPBACK}:${port}/api/auth/backchannel-logout`,
    },
    log: createLog(),
  })
  try {
    const { startRooms } = await import('@latchkey/rooms/main')
    const settings = readSettings(demoEnvironment(env, { port, secret, issuer: provider.issuer }))
    const rooms = await startRooms(settings, { demo: true })
    return {
      url: canonical,
      async stop() {
        await rooms.stop()
        await provider.stop()
      },
    }
  } catch (error) {
    await provider.stop()
    throw error
  }
}

/**
 * Throws what would keep the demo from starting, while nothing listens yet: `CommandFailure`, or `SettingsError` with all
 * settings that are wrong.
 */
export function checkDemoRooms(env: Environment): void {
  refuseRealUse(env)
  const port = demoPort(env)
  readSettings(demoEnvironment(env, { port, secret: createToken('', 32), issuer: `http://${LOOPBACK}` }))
}

/** Where Rooms listens; 0 for any free port, NaN for what is no number, which the settings then refuse. */
export function demoPort(env: Environment): number {
  const { name, default: usual } = declarations.port
  return Number(env[name] || usual)
}

/** What the operator has set, and what makes it the demo. */
function demoEnvironment(
  env: Environment,
  { port, secret, issuer }: { port: number; secret: string; issuer: string },
): Environment {
  const isPort = Number.isInteger(port) && port > 0
  return {
    ...withDemoDatabase(env),
    // What is none is told by the settings.
    ...(isPort && { ROOMS_PORT: String(port) }),
    ROOMS_HOST: LOOPBACK,
    ALLOWED_HOSTS: isPort ? `http://localhost:${port},http://${LOOPBACK}:${port}` : 'http://localhost',
    AUTH_PROVIDER: 'teamidp',
    AUTH_PROVIDER_LABEL: 'Demo sign-in',
    AUTH_CLIENT_ID: 'latchkey-rooms',
    AUTH_CLIENT_SECRET: secret,
    AUTH_SCOPES: 'openid profile email teams:read',
    TEAMIDP_ISSUER: issuer,
    GUEST_ENABLED: 'true',
  }
}

function refuseRealUse(env: Environment): void {
  const remedy =
    'set AUTH_PROVIDER to an identity provider of your own, or start Links alone with: latchkey links'
  if (env['NODE_ENV'] === 'production')
    throw new CommandFailure(`The demo identity provider does not run in production: ${remedy}`)
  const host = env['ROOMS_HOST'] || LOOPBACK
  if (host !== LOOPBACK && host !== 'localhost')
    throw new CommandFailure(`The demo identity provider does not run with ROOMS_HOST=${host}: ${remedy}`)
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer()
  server.on('error', reject)
  server.listen(0, LOOPBACK, () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
  })
  return promise
}
