import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

const WITHIN_MS = 2_500

/**
 * Posts to this machine. `fetch` would use the proxy that HTTP_PROXY names, for which the loopback
 * address is another machine, and it would follow redirects.
 */
export function post(
  url: string,
  { headers, body }: { headers: OutgoingHttpHeaders; body: string },
): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(WITHIN_MS),
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
    })
    sent.end(body)
  })
}
