import { freePort } from '@latchkey/http/free-port'
import type { LiveKitSettings } from '../../src/settings/voice.ts'
import { LiveKitApi } from '../../src/voice/livekit/api.ts'
import { until } from '../until.ts'

/** Path of LiveKit's server. Null if it is not installed (see .ci/run). */
export const livekitProgram = process.env['LATCHKEY_TEST_LIVEKIT'] || Bun.which('livekit-server')

const KEY = 'latchkey-test'
const SECRET = 'a-secret-of-forty-characters-for-testing'

export interface LiveKitServer {
  settings: LiveKitSettings
  api: LiveKitApi
  start(): Promise<void>
  kill(): Promise<void>
}

/** LiveKit on this machine. Webhooks are sent to this URL. */
export async function livekitServer({ webhook }: { webhook?: string } = {}): Promise<LiveKitServer> {
  const [port, tcpPort, udpPort] = [await freePort(), await freePort(), await freePort()]
  const settings = { url: `http://127.0.0.1:${port}`, key: KEY, secret: SECRET, publicUrl: null }
  const config = {
    port,
    bind_addresses: ['127.0.0.1'],
    rtc: {
      tcp_port: tcpPort,
      udp_port: udpPort,
      use_external_ip: false,
      node_ip: '127.0.0.1',
      enable_loopback_candidate: true,
    },
    keys: { [KEY]: SECRET },
    logging: { level: 'error' },
    ...(webhook !== undefined && { webhook: { api_key: KEY, urls: [webhook] } }),
  }
  let child: Bun.Subprocess | undefined
  const server: LiveKitServer = {
    settings,
    api: new LiveKitApi(settings, Date.now),
    async start() {
      child = Bun.spawn([livekitProgram ?? '', '--config-body', JSON.stringify(config)], {
        stdout: 'ignore',
        stderr: 'ignore',
      })
      await until(() =>
        fetch(settings.url).then(
          () => true,
          () => false,
        ),
      )
    },
    async kill() {
      child?.kill('SIGKILL')
      await child?.exited
    },
  }
  await server.start()
  return server
}
