import { failure } from '../failures.ts'
import type { Services } from './services.ts'

/** The web client: one document for every page, which finds out itself what is at its address. */
export function createPages(
  _services: Services,
): (request: Request, path: string, origin: string) => Promise<Response> {
  return async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD')
      throw failure('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
    return new Response('<!doctype html><title>Latchkey Rooms</title>', {
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
    })
  }
}
