import { createToken } from '@latchkey/tokens/opaque'
import { freePort } from '@latchkey/http/free-port'
import { createLog } from '@latchkey/http/log'
import { LOOPBACK, demoPort, readDemoSettings, findDemoRefusal } from '@latchkey/rooms/settings/demo'
import type { Running } from '@latchkey/rooms/main'
import type { Environment } from '@latchkey/settings/settings'
import { CommandFailure } from './command.ts'

/**
 * Rooms with the demo identity provider, for a first sign-in within a minute. Both listen on
 * loopback only. `linksUrl` is the origin of Links, unless a setting names it. Throws
 * `CommandFailure` if other machines could reach them.
 */
export async function startDemoRooms(env: Environment, linksUrl: string | null = null): Promise<Running> {
  refuseRealUse(env)
  // Each needs the address of the other before either listens.
  const port = demoPort(env) || (await freePort())
  const secret = createToken('', 32)
  const canonical = `http://localhost:${port}`
  const { startDemoProvider } = await import('./demo/provider.ts')
  const provider = await startDemoProvider({
    // The next port: the issuer, and with it the accounts, stay the same at every start.
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
    const settings = readDemoSettings(env, { port, secret, issuer: provider.issuer })
    const rooms = await startRooms({ ...settings, linksUrl: settings.linksUrl ?? linksUrl }, { demo: true })
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
 * Checks, before anything listens, that the demo can start. Throws `CommandFailure`, or
 * `SettingsError` with all wrong settings.
 */
export function checkDemoRooms(env: Environment): void {
  refuseRealUse(env)
  readDemoSettings(env)
}

function refuseRealUse(env: Environment): void {
  const refusal = findDemoRefusal(env)
  if (refusal !== undefined) throw new CommandFailure(refusal)
}
