import { lookup as lookUpBySystem } from 'node:dns'
import { type LookupFunction, Socket } from 'node:net'

/** What DNS and the hosts file do not know, the system may know by other means. */
const UNKNOWN = new Set(['DNS_ENOTFOUND', 'DNS_ENODATA', 'DNS_ECONNREFUSED'])

/**
 * In the event loop. The system's own look-up would hold a thread of those that a redirect waits for the disk with, for ten
 * seconds each time where DNS answers nobody, and who has lost the database asks every second.
 */
const lookUp: LookupFunction = (hostname, options, callback) => {
  Bun.dns.lookup(hostname, { backend: 'c-ares' }).then(
    (found) => {
      const [first] = found
      if (options.all) callback(null, found)
      else callback(null, first?.address ?? '', first?.family)
    },
    ({ code }: { code?: string }) => {
      if (UNKNOWN.has(code ?? '')) return lookUpBySystem(hostname, options, callback)
      callback(
        Object.assign(new Error(`DNS does not tell where ${hostname} is`), { code: 'EAI_AGAIN' }),
        '',
        4,
      )
    },
  )
}

/** What a client of `pg` connects with: `new Client({ connectionString, stream })`. */
export function stream(): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  // Without a host it is the path of a Unix socket.
  const connectTo = (port: number | string, host?: string) =>
    host === undefined ? connect(String(port)) : connect({ port: Number(port), host, lookup: lookUp })
  socket.connect = connectTo as Socket['connect']
  return socket
}
