// Checks of names, ports and certificates, from this machine.
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect } from 'node:tls'
import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import { resolveHost } from '@latchkey/http/outbound-address'
import { createToken } from '@latchkey/tokens/opaque'
import { isLocalName } from './local-name.ts'

const ANSWER_TIMEOUT_MS = 5_000
const TOKEN_HEADER = 'Latchkey-Setup'

/** Checks that a name leads to this machine. `isServed` is whether the service answers there already. */
export async function checkName(host: string, isServed: () => Promise<boolean>): Promise<Finding> {
  const name = 'dns'
  const addresses = await withTimeout(resolveHost(host)).catch(() => [])
  if (addresses.length === 0)
    return fail(name, `${host} has no address: create an A or AAAA record with that of this machine`)
  const own = new Set(
    Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []),
  )
  if (addresses.some((address) => own.has(address))) return ok(name, `${host} is this machine`)
  const listed = addresses.join(', ')
  return (await isServed()) || (await reachesThisMachine(host))
    ? ok(name, `${host} (${listed}) leads to this machine`)
    : warn(
        name,
        `${host} is ${listed}, and not certainly this machine: check the record, router and firewall`,
      )
}

/** Whether a request to port 80 of a name arrives here. False where the port is not free. */
async function reachesThisMachine(host: string): Promise<boolean> {
  const token = createToken('', 16)
  const server = createHttpServer((_, response) => response.setHeader(TOKEN_HEADER, token).end())
  try {
    await listen(server, 80)
    const answer = await fetch(`http://${host}/`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    await answer.body?.cancel()
    return answer.headers.get(TOKEN_HEADER) === token
  } catch {
    return false
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** A port that the proxy or a service needs. */
export interface PortCheck {
  readonly port: number
  readonly address?: string
  /** Whether what answers there now may stay. */
  readonly isOurs: () => Promise<boolean>
  /** The remedy for a port in use. */
  readonly remedy: string
}

/** Checks that a port is free, or used by what will use it. */
export async function checkPort({ port, address, isOurs, remedy }: PortCheck): Promise<Finding> {
  const name = 'ports'
  const problem = await tryToListen(port, address)
  if (problem === undefined) return ok(name, `${port} is free`)
  if (problem === 'EACCES') return warn(name, `${port} is not checked: ports below 1024 need root`)
  return (await isOurs())
    ? ok(name, `${port} is used by what will use it`)
    : fail(name, `${port} is used by another program: ${remedy}`)
}

async function tryToListen(port: number, address?: string): Promise<string | undefined> {
  const server = createServer()
  try {
    await listen(server, port, address)
    return undefined
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  } finally {
    server.close()
  }
}

async function listen(
  server: ReturnType<typeof createServer> | ReturnType<typeof createHttpServer>,
  port: number,
  address?: string,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, address, resolve)
  await promise
}

/** Proxies renew certificates when a third of their time is left, whether that is hours or months. */
const RENEWAL_SHARE = 1 / 6

/** Checks the certificate of a host, if it answers over HTTPS. Undefined if it does not. */
export async function checkCertificate(host: string): Promise<Finding | undefined> {
  const name = 'certificate'
  const { promise, resolve } = Promise.withResolvers<Finding | undefined>()
  // Not verified here, so that the finding can name the fault. Nothing is sent.
  const socket = connect(
    {
      host,
      port: 443,
      servername: host,
      rejectUnauthorized: false,
      timeout: ANSWER_TIMEOUT_MS,
    },
    () => {
      const { valid_from: start, valid_to: end } = socket.getPeerCertificate()
      const [startMs, endMs] = [Date.parse(start), Date.parse(end)]
      const day = new Date(endMs).toISOString().slice(0, 10)
      const renewalMs = endMs - (endMs - startMs) * RENEWAL_SHARE
      if (Date.now() > endMs) resolve(fail(name, `that of ${host} ended on ${day}: let the proxy renew it`))
      else if (Date.now() > renewalMs)
        resolve(warn(name, `that of ${host} ends on ${day}: check its renewal`))
      else if (!socket.authorized && !isLocalName(host))
        resolve(fail(name, `that of ${host} is not trusted (${String(socket.authorizationError)})`))
      else resolve(ok(name, `that of ${host} is valid until ${day}`))
    },
  )
  socket.once('error', () => resolve(undefined))
  socket.once('timeout', () => resolve(undefined))
  const finding = await promise
  socket.destroy()
  return finding
}

/** Whether a URL answers as healthy; its certificate may be of any authority. */
export async function answersHealthy(url: string): Promise<boolean> {
  return (await healthOf(url))?.['status'] === 'ok'
}

/** The JSON of a health check. Undefined without an answer. */
export async function healthOf(url: string): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      tls: { rejectUnauthorized: false },
    })
    return JSON.parse(await readStart(response)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** A name may lead to another server, whose answer has no end. */
const MAX_ANSWER_CHARACTERS = 10_000

async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MAX_ANSWER_CHARACTERS) break
  }
  return text
}

/** The name of the server that answers on port 80 of this machine; empty if none says it. */
export async function serverOnPort80(): Promise<string> {
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    const { headers, body } = await fetch('http://127.0.0.1/', { redirect: 'manual', signal })
    await body?.cancel()
    return headers.get('server') ?? ''
  } catch {
    return ''
  }
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer in time')), ANSWER_TIMEOUT_MS)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
