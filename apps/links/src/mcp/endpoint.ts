import { readJson } from '@latchkey/http/body'
import { clientAddress } from '@latchkey/http/client-address'
import { prefixOf } from '@latchkey/http/client-prefix'
import { Failure, transportFailure } from '@latchkey/http/failure'
import { type PeerInfo, BODY_LIMIT_BYTES } from '@latchkey/http/mount'
import type { Context } from '../context.ts'
import { failureOf } from '../failures.ts'
import { viewer } from '../http/admin.ts'
import { type Limiters, createLimiters, take } from '../http/limits.ts'
import type { Services } from '../http/services.ts'
import { messagePage, notFoundPage } from '../redirect/pages.ts'
import { type Address, type Place, addressOf, hasMcpHost, placeOf } from './address.ts'
import { type Credentials, type McpCaller, type Scope, createCredentials, keyScopes } from './credentials.ts'
import { createDocuments } from './documents.ts'
import { callsOf, protocolError, withoutNullArguments } from './message.ts'
import { tools } from './tools.ts'

const ROUTE = '/_/mcp'

interface Endpoint {
  services: Services
  credentials: Credentials
  limiters: Limiters | undefined
}

/** What assistants talk to (L19). */
export function createMcp(services: Services) {
  const credentials = createCredentials(services)
  const endpoint: Endpoint = {
    services,
    credentials,
    limiters: createLimiters(services.settings),
  }
  const documents = createDocuments(credentials.issuer, services.settings.mcpOauthAudience)
  return {
    /** The answer, if the address is one of ours. */
    async answer(request: Request, path: string, arrival: PeerInfo): Promise<Response | undefined> {
      const ownHost = hasMcpHost(request.url)
      const place = placeOf(path, ownHost)
      if (place === undefined) return undefined
      const address = addressOf(request, { peer: arrival.peer, path, ownHost }, services)
      return place === 'endpoint'
        ? observed(endpoint, request, (requestId) =>
            serve(endpoint, request, { arrival, address, requestId }),
          )
        : elsewhere(documents, request, place, address)
    },
  }
}

async function elsewhere(
  documents: ReturnType<typeof createDocuments>,
  request: Request,
  place: Exclude<Place, 'endpoint'>,
  address: Address,
): Promise<Response> {
  const document = place === 'nothing' ? undefined : await documents[place](request, address)
  return document ?? notFoundPage()
}

/** Every answer of the endpoint, whatever it is: named, never kept by a cache, and told to logs and metrics. */
async function observed(
  { services }: Endpoint,
  request: Request,
  serveIt: (requestId: string) => Promise<Response>,
): Promise<Response> {
  const startedMs = performance.now()
  const requestId = crypto.randomUUID()
  const response = await serveIt(requestId).catch((error: unknown) => {
    const { message, status, headers } = failureOf(error, {
      log: services.log,
      databaseFailed: services.databaseFailed,
      requestId,
      what: 'a request failed',
    })
    const seconds = headers['Retry-After']
    const text = status === 429 && seconds ? `${message}: wait ${seconds} seconds` : message
    return protocolError(status, -32000, text, headers)
  })
  response.headers.set('X-Request-Id', requestId)
  response.headers.set('Cache-Control', 'private, no-store')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  const ms = performance.now() - startedMs
  services.observe({ route: ROUTE, method: request.method, status: response.status, requestId, ms })
  return response
}

interface Particulars {
  arrival: PeerInfo
  address: Address
  requestId: string
}

async function serve(endpoint: Endpoint, request: Request, particulars: Particulars): Promise<Response> {
  const { credentials, services } = endpoint
  const { arrival, address, requestId } = particulars
  if (!credentials.isConfigured) throw transportFailure('not_found', { text: 'MCP is not configured' })
  refuseForeign(request, address)
  if (request.method !== 'POST') return withoutBody(endpoint, request, particulars)
  const caller = await identify(endpoint, request, particulars)
  const body = await readMessage(request)
  if (body instanceof Response) return body
  const headers = takeTurns(endpoint, caller, body)
  requireScopes(caller, body, address)
  // Loaded when somebody talks to it: the SDK would take a tenth of every start.
  const { createProtocol } = await import('./protocol.ts')
  const contexts: Context[] = []
  const response = await createProtocol(services.log)(request, withoutNullArguments(body), {
    requestId,
    context: async (): Promise<Context> => {
      const person = await viewer(services.database.read, caller.identity, 'mcp')
      // Assistants know what they link to, and say so (L6.6).
      const context = { ...services.contextFor(request, arrival.peer, person), labelLater: undefined }
      contexts.push(context)
      return context
    },
  })
  const ofContexts = contexts.map((context) => Object.entries(context.headers))
  for (const [name, value] of [...Object.entries(headers), ...ofContexts.flat()])
    response.headers.set(name, value)
  return response
}

/** A page of another site must not speak for whoever looks at it. */
function refuseForeign(request: Request, { origin: own }: Address): void {
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== own)
    throw transportFailure('forbidden', { text: 'Requests from pages of other sites are refused' })
}

async function withoutBody(
  { credentials }: Endpoint,
  request: Request,
  { arrival, address }: Particulars,
): Promise<Response> {
  const refused = await credentials.refuseStranger(request, arrival.peer)
  if (refused) throw refused
  const isPerson =
    request.method === 'GET' &&
    (request.headers.get('accept')?.includes('text/html') ?? false) &&
    !request.headers.has('authorization')
  if (isPerson)
    return messagePage(
      200,
      'Latchkey Links for assistants',
      `This is an MCP endpoint. Give its address, <code>${Bun.escapeHTML(address.resource)}</code>, to an MCP client such as Claude, VS Code or the MCP Inspector, as a remote server over Streamable HTTP.`,
    )
  throw transportFailure('method_not_allowed', { headers: { Allow: 'POST' } })
}

async function identify(
  { credentials, limiters, services }: Endpoint,
  request: Request,
  { arrival, address }: Particulars,
): Promise<McpCaller> {
  try {
    const caller = await credentials.identify(request, arrival.peer, address.metadataUrl)
    if (caller.scopes.length === 0) throw insufficient(caller, 'links:read', address)
    return caller
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 401) throw error
    take(limiters?.addresses, prefixOf(clientAddress(request, arrival.peer, services.proxies)))
    throw error
  }
}

/** The message, or the answer to what is none. */
async function readMessage(request: Request): Promise<unknown> {
  try {
    return await readJson(request, BODY_LIMIT_BYTES)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'invalid_json') return protocolError(400, -32700, 'Parse error: the body is not JSON')
    return protocolError(error.code === 'content_type' ? 415 : error.status, -32000, error.message)
  }
}

/** Each call of a batch counts, so that a batch is no way around the limit; one that is refused uses up nothing. */
function takeTurns({ limiters }: Endpoint, { identity }: McpCaller, body: unknown): Record<string, string> {
  return take(limiters?.callers, identity, Math.max(1, callsOf(body).length))
}

function requireScopes(caller: McpCaller, body: unknown, address: Address): void {
  for (const name of callsOf(body)) {
    const tool = tools.get(name)
    const needed = tool?.effect === 'read' ? 'links:read' : 'links:create'
    if (tool && !caller.scopes.includes(needed)) throw insufficient(caller, needed, address)
  }
}

/**
 * Clients ask for exactly the scopes named here, so those they have are among them. No login gives a key more than it has, so
 * its holder is led to none.
 */
function insufficient({ scopes, isKey }: McpCaller, needed: Scope, { metadataUrl }: Address): Failure {
  const challenge = `Bearer error="insufficient_scope", scope="${[...scopes, needed].join(' ')}"`
  return transportFailure('forbidden', {
    text: `This needs the scope ${needed}${isKey ? `: use an API key made with the scope ${keyScopes[needed]}` : ''}`,
    headers: {
      'WWW-Authenticate': isKey ? challenge : `${challenge}, resource_metadata="${metadataUrl}"`,
    },
  })
}
