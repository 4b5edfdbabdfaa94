import { createToken } from '@latchkey/tokens/opaque'
import { freePort } from '@latchkey/http/free-port'
import { createLog } from '@latchkey/http/log'
import { LOOPBACK, demoPort, readDemoSettings, findDemoRefusal } from '@latchkey/rooms/settings/demo'
import type { Running } from '@latchkey/rooms/main'
import type { Environment } from '@latchkey/settings/settings'
import { CommandFailure } from './command.ts'

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
    const settings = readDemoSettings(env, { port, secret, issuer: provider.issuer })
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
  readDemoSettings(env)
}

function refuseRealUse(env: Environment): void {
  const refusal = findDemoRefusal(env)
  if (refusal !== undefined) throw new CommandFailure(refusal)
}
