import { afterEach } from 'bun:test'

/** The servers of tests listen on the loopback interface. One address plays the public internet. */
export const PUBLIC = '127.0.0.1'

/** Options with which every host name resolves to the public test address. */
export const TO_PUBLIC = {
  resolve: async () => [PUBLIC],
  isPublicAddress: (address: string) => address === PUBLIC,
}

interface ReceivedRequest {
  url: string
  headers: Record<string, string>
}

/** Starts a server that records its requests, on every local address by default. */
type Serve = (
  answer: (request: Request) => Response | Promise<Response>,
  hostname?: string,
) => { port: number; requests: ReceivedRequest[]; stop: () => Promise<void> }

/** Returns a function that starts servers, and stops them after each test. */
export function testServers(): { serve: Serve } {
  const servers: Bun.Server<undefined>[] = []
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop(true)))
  })
  return {
    serve: (answer, hostname = '0.0.0.0') => {
      const requests: ReceivedRequest[] = []
      const server = Bun.serve({
        port: 0,
        hostname,
        fetch(request) {
          requests.push({ url: request.url, headers: Object.fromEntries(request.headers) })
          return answer(request)
        },
      })
      servers.push(server)
      return { port: server.port ?? 0, requests, stop: () => server.stop(true) }
    },
  }
}
