import type { Services } from './services.ts'

/** The routes that browsers and the provider walk through, which are no JSON API; undefined for other paths. */
export function createLoginRoutes(
  _services: Services,
): (request: Request, path: string, peer: string) => Promise<Response | undefined> {
  return async () => undefined
}
