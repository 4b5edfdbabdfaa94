import { scopes } from './credentials.ts'
import type { Address } from './address.ts'
import type { Issuer } from './issuer.ts'

const HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' }

/** Documents in which clients find the sign-in. There are none without an authorization server. */
export function createDocuments(issuer: Issuer | undefined, audience: string | null) {
  return {
    /** The metadata of the protected resource (RFC 9728). */
    async resource(request: Request, { origin, resource }: Address): Promise<Response | undefined> {
      const server = issuer?.issuer
      if (server === undefined) return undefined
      // Clients request a token for exactly this name. It is therefore the configured name if that
      // is an address of this origin.
      const isOurs = audience !== null && URL.parse(audience)?.origin === origin
      return answer(request, {
        resource: isOurs ? audience : resource,
        authorization_servers: [server],
        scopes_supported: scopes,
        bearer_methods_supported: ['header'],
        resource_name: 'Latchkey Links',
      })
    },
    /** Older clients look for the authorization server here instead of at the issuer. */
    async server(request: Request): Promise<Response | undefined> {
      const document = await issuer?.metadata()
      return document && answer(request, document)
    },
  }
}

function answer(request: Request, document: object): Response {
  if (request.method === 'OPTIONS') {
    const allow = {
      'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
      'Access-Control-Allow-Headers': '*',
    }
    return new Response(null, { status: 204, headers: { ...HEADERS, ...allow } })
  }
  if (request.method === 'GET' || request.method === 'HEAD')
    return Response.json(document, { headers: HEADERS })
  const headers = { ...HEADERS, Allow: 'GET, HEAD, OPTIONS' }
  return Response.json({ error: 'Method Not Allowed' }, { status: 405, headers })
}
