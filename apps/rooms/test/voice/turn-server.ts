import { mkdtempSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { createCertificate } from '../certificate.ts'
import { until } from '../until.ts'

const SECRET = 'shared-with-rooms'

/**
 * coturn on this machine, also over TLS. The settings of docs/operate/calls.md
 * deny the addresses of this machine, which browsers of the tests need.
 */
export async function turnServer(furtherSettings: readonly string[] = []) {
  const address = ownAddress()
  const port = await freePort()
  const tlsPort = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-turn-'))
  const certificate = join(folder, 'cert.pem')
  const key = join(folder, 'key.pem')
  await createCertificate('localhost', { certificate, key })
  const settings = [
    '--no-cli',
    ...new Set(['--listening-ip=127.0.0.1', `--listening-ip=${address}`]),
    `--relay-ip=${address}`,
    `--listening-port=${port}`,
    '--use-auth-secret',
    `--static-auth-secret=${SECRET}`,
    '--realm=latchkey.test',
    `--tls-listening-port=${tlsPort}`,
    `--cert=${certificate}`,
    `--pkey=${key}`,
    '--no-dtls',
    '--log-file=stdout',
    ...furtherSettings,
  ]
  const child = Bun.spawn(['turnserver', ...settings], { stdout: 'ignore', stderr: 'ignore' })
  await until(async () => (await isListening(address, port)) && (await isListening('127.0.0.1', tlsPort)))
  return {
    turn: { urls: [`turn:${address}:${port}?transport=udp`], secret: SECRET },
    /** With a certificate for `localhost` that only this file makes valid. */
    tls: { url: `turns:localhost:${tlsPort}`, certificate },
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Address of this machine: Rooms passes on no candidates of the loopback address. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

async function isListening(hostname: string, port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname, port, socket: { data() {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}
