import { readJson } from '@latchkey/http/body'
import { clientAddress } from '@latchkey/http/client-address'
import { prefixOf } from '@latchkey/http/client-prefix'
import { Failure, transportFailure } from '@latchkey/http/failure'
import { type PeerInfo, BODY_LIMIT_BYTES } from '@latchkey/http/mount'
import { requirePlain } from '@latchkey/http/validation'
import type { Context } from '../api/context.ts'
import { failureOf } from '../api/failures.ts'
import { readCaller } from '../http/callers.ts'
import { type Limiters, createLimiters, createRequestCosts, requireAllowed } from '../http/rate-limits.ts'
import type { Services } from '../http/services.ts'
import { htmlPage, notFoundPage, renderMessage } from '../redirect/pages.ts'
import { type Address, type McpRoute, addressOf, hasMcpHost, findMcpRoute } from './address.ts'
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

/** Creates the endpoint for assistants (L19). */
export function createMcp(services: Services) {
  const credentials = createCredentials(services)
  const endpoint: Endpoint = {
    services,
    credentials,
    limiters: createLimiters(services.settings),
  }
  const documents = createDocuments(credentials.issuer, services.settings.mcpOauthAudience)
  return {
    /** Returns the response; undefined if the address is not on the MCP side. */
    async answer(request: Request, path: string, peerInfo: PeerInfo): Promise<Response | undefined> {
      const isOwnHost = hasMcpHost(request.url)
      const route = findMcpRoute(path, isOwnHost)
      if (route === undefined) return undefined
      const address = addressOf(request, { peer: peerInfo.peer, path, isOwnHost: isOwnHost }, services)
      return route === 'endpoint'
        ? observe(endpoint, request, (requestId) =>
            serve(endpoint, request, { peerInfo, address, requestId }),
          )
        : serveDocument(documents, request, route, address)
    },
  }
}

async function serveDocument(
  documents: ReturnType<typeof createDocuments>,
  request: Request,
  route: Exclude<McpRoute, 'endpoint'>,
  address: Address,
): Promise<Response> {
  const document = route === 'nothing' ? undefined : await documents[route](request, address)
  return document ?? notFoundPage(request)
}

/**
 * Gives every response of the endpoint a request id, forbids caching it, and records it in logs and
 * metrics.
 */
async function observe(
  { services }: Endpoint,
  request: Request,
  serveRequest: (requestId: string) => Promise<Response>,
): Promise<Response> {
  const startedMs = performance.now()
  const requestId = crypto.randomUUID()
  const response = await serveRequest(requestId).catch((error: unknown) => {
    const { message, status, headers } = failureOf(error, {
      log: services.log,
      logDatabaseFault: services.logDatabaseFault,
      requestId,
      message: 'request: failed',
    })
    const seconds = headers['Retry-After']
    const text = status === 429 && seconds ? `${message}: wait ${seconds} seconds` : message
    return protocolError(status, -32000, text, headers)
  })
  response.headers.set('X-Request-Id', requestId)
  response.headers.set('Cache-Control', 'private, no-store')
  const ms = performance.now() - startedMs
  services.observe({ route: ROUTE, method: request.method, status: response.status, requestId, ms })
  return response
}

interface RequestDetails {
  peerInfo: PeerInfo
  address: Address
  requestId: string
}

async function serve(endpoint: Endpoint, request: Request, details: RequestDetails): Promise<Response> {
  const { credentials, services } = endpoint
  const { peerInfo, address, requestId } = details
  if (!credentials.isConfigured) throw transportFailure('not_found', { text: 'MCP is not configured' })
  refuseForeignOrigin(request, address)
  if (request.method !== 'POST') return answerWithoutBody(endpoint, request, details)
  const caller = await identify(endpoint, request, details)
  const body = await readMessage(request)
  if (body instanceof Response) return body
  const headers = requireRate(endpoint, caller, body)
  requirePlain(body)
  requireScopes(caller, body, address)
  // Loaded on first use: the SDK would take a tenth of every start.
  const { createProtocol } = await import('./protocol.ts')
  const contexts: Context[] = []
  const response = await createProtocol(services.log)(request, withoutNullArguments(body), {
    requestId,
    context: async (tool): Promise<Context> => {
      const person = await readCaller(services, caller.identity, 'mcp')
      // Assistants know the destination of their links, and provide the label (L6.6).
      const context = {
        ...services.contextFor(
          { ...person, assistant: caller.assistant },
          {
            request,
            peer: peerInfo.peer,
            tool,
            requestId,
            costs: createRequestCosts(endpoint.limiters?.callers, caller.identity, headers),
          },
        ),
        enqueueTitleFetch: undefined,
      }
      contexts.push(context)
      return context
    },
  })
  const contextHeaders = contexts.map((context) => Object.entries(context.headers))
  for (const [name, value] of [...Object.entries(headers), ...contextHeaders.flat()])
    response.headers.set(name, value)
  return response
}

/** Refuses pages of other sites, which must not act as the person who views them. */
function refuseForeignOrigin(request: Request, { origin: own }: Address): void {
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== own)
    throw transportFailure('forbidden', { text: 'Requests from pages of other sites are refused' })
}

async function answerWithoutBody(
  { credentials }: Endpoint,
  request: Request,
  { peerInfo, address }: RequestDetails,
): Promise<Response> {
  const refusal = await credentials.findStrangerRefusal(request, peerInfo.peer)
  if (refusal) throw refusal
  const isPerson =
    request.method === 'GET' &&
    (request.headers.get('accept')?.includes('text/html') ?? false) &&
    !request.headers.has('authorization')
  if (isPerson)
    return htmlPage(
      renderMessage('en', {
        title: 'Latchkey Links for assistants',
        sentence: `This is an MCP endpoint. Give its address, <code>${Bun.escapeHTML(address.resource)}</code>, to an MCP client such as Claude, VS Code or the MCP Inspector, as a remote server over Streamable HTTP.`,
      }),
    )
  throw transportFailure('method_not_allowed', { headers: { Allow: 'POST' } })
}

async function identify(
  { credentials, limiters, services }: Endpoint,
  request: Request,
  { peerInfo, address }: RequestDetails,
): Promise<McpCaller> {
  try {
    const caller = await credentials.identify(request, peerInfo.peer, address.metadataUrl)
    if (caller.scopes.length === 0) throw insufficientScope(caller, 'links:read', address)
    return caller
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 401) throw error
    requireAllowed(limiters?.addresses, prefixOf(clientAddress(request, peerInfo.peer, services.proxies)))
    throw error
  }
}

/** Returns the message, or the response to an invalid one. */
async function readMessage(request: Request): Promise<unknown> {
  try {
    return await readJson(request, BODY_LIMIT_BYTES)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'invalid_json') return protocolError(400, -32700, 'Parse error: the body is not JSON')
    return protocolError(error.code === 'unsupported_media_type' ? 415 : error.status, -32000, error.message)
  }
}

/**
 * Each call of a batch counts, so a batch does not bypass the rate limit. A refused batch uses up
 * nothing.
 */
function requireRate({ limiters }: Endpoint, { identity }: McpCaller, body: unknown): Record<string, string> {
  return requireAllowed(limiters?.callers, identity, Math.max(1, callsOf(body).length))
}

function requireScopes(caller: McpCaller, body: unknown, address: Address): void {
  for (const name of callsOf(body)) {
    const tool = tools.get(name)
    const requiredScope = tool?.effect === 'read' ? 'links:read' : 'links:create'
    if (tool && !caller.scopes.includes(requiredScope))
      throw insufficientScope(caller, requiredScope, address)
  }
}

/**
 * Clients request exactly the scopes in this response, so it includes the ones they have. A sign-in
 * does not extend the rights of a key, so the holder of a key gets no pointer to one.
 */
function insufficientScope(
  { scopes, isKey }: McpCaller,
  requiredScope: Scope,
  { metadataUrl }: Address,
): Failure {
  const challenge = `Bearer error="insufficient_scope", scope="${[...scopes, requiredScope].join(' ')}"`
  return transportFailure('forbidden', {
    text: `This needs the scope ${requiredScope}${isKey ? `: use an API key made with the scope ${keyScopes[requiredScope]}` : ''}`,
    headers: {
      'WWW-Authenticate': isKey ? challenge : `${challenge}, resource_metadata="${metadataUrl}"`,
    },
  })
}
