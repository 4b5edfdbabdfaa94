import { lookup } from 'node:dns/promises'
import { type LookupFunction, Socket } from 'node:net'
import { callbackify } from 'node:util'

/**
 * Errors after which the system resolver is asked: it may know names that DNS and the hosts file do
 * not.
 */
const UNKNOWN = new Set(['DNS_ENOTFOUND', 'DNS_ENODATA', 'DNS_ECONNREFUSED'])

/**
 * Resolves host names in the event loop. The system resolver would block a thread of the pool that
 * redirects need for the disk: ten seconds each time when DNS does not answer, and a node without
 * its database asks every second.
 */
const addressesOf = callbackify(async (hostname: string) => {
  try {
    return await Bun.dns.lookup(hostname, { backend: 'c-ares' })
  } catch (error) {
    if (UNKNOWN.has((error as { code?: string }).code ?? '')) return lookup(hostname, { all: true })
    throw Object.assign(new Error(`DNS does not tell where ${hostname} is`), { code: 'EAI_AGAIN' })
  }
})

const lookUp: LookupFunction = (hostname, options, callback) =>
  addressesOf(hostname, (error, addresses) => {
    if (error) callback(error, '', 4)
    else if (options.all) callback(null, addresses)
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
  })

/** The socket that a client of `pg` connects with: `new Client({ connectionString, stream })`. */
export function stream(): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  // Without a host, the port is the path of a Unix socket.
  const connectTo = (port: number | string, host?: string) =>
    host === undefined ? connect(String(port)) : connect({ port: Number(port), host, lookup: lookUp })
  socket.connect = connectTo as Socket['connect']
  return socket
}
