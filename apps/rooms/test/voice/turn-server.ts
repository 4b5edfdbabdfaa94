import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { createCertificate } from '../certificate.ts'
import { until } from '../until.ts'

const SECRET = 'shared-with-rooms'

/** coturn on this machine, as docs/operate/calls.md sets it up, also over TLS. */
export async function turnServer() {
  const port = await freePort()
  const tlsPort = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-turn-'))
  const certificate = join(folder, 'cert.pem')
  const key = join(folder, 'key.pem')
  await createCertificate('localhost', { certificate, key })
  const settings = [
    '--no-cli',
    '--listening-ip=127.0.0.1',
    '--relay-ip=127.0.0.1',
    // The browsers of the tests are on this machine.
    '--allow-loopback-peers',
    `--listening-port=${port}`,
    '--use-auth-secret',
    `--static-auth-secret=${SECRET}`,
    '--realm=latchkey.test',
    `--tls-listening-port=${tlsPort}`,
    `--cert=${certificate}`,
    `--pkey=${key}`,
    '--no-dtls',
    '--log-file=stdout',
  ]
  const child = Bun.spawn(['turnserver', ...settings], { stdout: 'ignore', stderr: 'ignore' })
  await until(async () => (await isListening(port)) && (await isListening(tlsPort)))
  return {
    turn: { urls: [`turn:127.0.0.1:${port}?transport=udp`], secret: SECRET },
    /** With a certificate for `localhost` that only this file makes valid. */
    tls: { url: `turns:localhost:${tlsPort}`, certificate },
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}
