import { type RequestListener, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '@latchkey/http/log'
import { CommandFailure } from '../command.ts'
import { choice } from './choice.ts'
import { type DemoClient, configure } from './configuration.ts'
import { edge } from './edge.ts'
import { logNotices } from './notices.ts'
import { signOut } from './sign-out.ts'

export interface DemoProvider {
  /** As in the metadata and tokens, without a trailing slash. */
  issuer: string
  stop(): Promise<void>
}

const LOOPBACK = '127.0.0.1'
const LOOPBACK_HOSTS = new Set([LOOPBACK, 'localhost', '[::1]'])
const SET_PROVIDER = 'set AUTH_PROVIDER to an identity provider of your own'

/**
 * Starts the demo identity provider. It listens when the promise resolves. Any user of this machine
 * can sign in as any demo user. Therefore it throws `CommandFailure` in production and for a client
 * on another machine. Port 0 selects a free port.
 */
export async function startDemoProvider(options: {
  port: number
  client: DemoClient
  log: Log
}): Promise<DemoProvider> {
  const { client, log } = options
  refuseRealUse(client)
  const handler: { handle?: RequestListener } = {}
  const server = createServer((request, response) => handler.handle?.(request, response))
  const issuer = await listen(server, options.port)
  const unlog = logNotices(log)
  try {
    handler.handle = await provide(issuer, client, log)
  } catch (error) {
    unlog()
    await close(server)
    throw error
  }
  log.warn('demo identity provider: anyone on this machine can sign in as any demo user', {
    service: 'demo',
    url: issuer,
    forRealUse: SET_PROVIDER,
  })
  return {
    issuer,
    async stop() {
      await close(server)
      unlog()
    },
  }
}

/** Imports oidc-provider only when it is needed. */
async function provide(issuer: string, client: DemoClient, log: Log): Promise<RequestListener> {
  const { Provider, interactionPolicy } = await import('oidc-provider')
  const provider = new Provider(issuer, configure(client, interactionPolicy))
  const origins = [...client.redirectUris, ...client.postLogoutRedirectUris].map((uri) => new URL(uri).origin)
  provider.use(edge(issuer, [...new Set(origins)], log))
  provider.use(choice(provider))
  provider.use(signOut(provider, client.id))
  provider.on('backchannel.error', (_, error) =>
    log.warn('demo identity provider: cannot deliver a logout token', { error }),
  )
  provider.on('server_error', (_, error) => log.error('demo identity provider: failed', { error }))
  provider.on('error', (error) => log.error('demo identity provider: failed', { error }))
  return provider.callback()
}

function refuseRealUse({ redirectUris, postLogoutRedirectUris, backchannelLogoutUri }: DemoClient): void {
  if (process.env['NODE_ENV'] === 'production')
    throw new CommandFailure(
      `The demo identity provider does not start with NODE_ENV=production: ${SET_PROVIDER}`,
    )
  const elsewhere = [...redirectUris, ...postLogoutRedirectUris, backchannelLogoutUri].find(
    (uri) => !LOOPBACK_HOSTS.has(new URL(uri).hostname),
  )
  if (elsewhere !== undefined)
    throw new CommandFailure(
      `The demo identity provider serves this machine only, not ${new URL(elsewhere).origin}: ${SET_PROVIDER}`,
    )
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(port, error)))
    server.listen(port, LOOPBACK, resolve)
  })
  // An origin omits the default port, 80.
  return new URL(`http://${LOOPBACK}:${(server.address() as AddressInfo).port}`).origin
}

function listenFailure(port: number, error: Error): Error {
  const code = 'code' in error ? String(error.code) : ''
  const problem =
    code === 'EADDRINUSE'
      ? 'is in use: stop the process that uses it, set ROOMS_PORT to another port'
      : `cannot be used (${code}): set ROOMS_PORT to another port`
  return new CommandFailure(
    `Port ${port} of ${LOOPBACK}, which the demo identity provider needs (the port after ROOMS_PORT), ${problem}, or ${SET_PROVIDER}`,
    { cause: error },
  )
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => void server.close(() => resolve()))
}
