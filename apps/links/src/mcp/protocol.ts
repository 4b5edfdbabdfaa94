import type { Log } from '@latchkey/http/log'
import {
  type Server,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  isLegacyRequest,
} from '@modelcontextprotocol/server'
import { type Exchange, createServer } from './server.ts'

type RequestExchange = Pick<Exchange, 'context' | 'requestId'>

const ACCEPT = 'application/json, text/event-stream'

/**
 * Answers messages in every revision: the current one, which has no sessions, and those with a
 * handshake. The SDK detects the revision of a message and checks headers against it.
 */
export function createProtocol(log: Log) {
  return async (request: Request, body: unknown, exchange: RequestExchange): Promise<Response> => {
    const onerror = (error: Error) =>
      log.warn('mcp: message refused', { requestId: exchange.requestId, error })
    const bodilessRequest = toBodilessRequest(request)
    if (await isLegacyRequest(bodilessRequest, body))
      return answerHandshake(bodilessRequest, body, createServer({ ...exchange, strict: false, log }))
    if (isMethod(body, 'subscriptions/listen')) return refuseSubscription(body)
    const handler = createMcpHandler(() => createServer({ ...exchange, strict: true, log }), {
      legacy: 'reject',
      onerror,
    })
    return toMutable(await handler.fetch(bodilessRequest, { parsedBody: body }))
  }
}

/** Returns the method, address and headers of a request whose body was already read. */
function toBodilessRequest({ url, headers, signal }: Request): Request {
  return new Request(url.startsWith('/') ? `http://localhost${url}` : url, {
    method: 'POST',
    headers,
    signal,
  })
}

function isMethod(body: unknown, method: string): boolean {
  return (body as { method?: unknown } | null)?.method === method
}

/** Tools do not change while a process runs, so there are no updates to wait for. */
function refuseSubscription(body: unknown): Response {
  const { id = null } = body as { id?: unknown }
  const error = { code: -32601, message: 'Method not found: nothing here ever changes' }
  return Response.json({ jsonrpc: '2.0', error, id }, { status: 404 })
}

/**
 * Answers a client that started with `initialize`: it gets a session, and a stream if it accepts
 * one.
 */
async function answerHandshake(request: Request, body: unknown, server: Server): Promise<Response> {
  const wantsStream = request.headers.get('accept')?.includes('text/event-stream') ?? false
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsStream,
    keepAliveMs: 0,
  })
  // The server knows no requests except these. If one message of a batch cancelled another, the
  // batch would stay unanswered.
  server.removeNotificationHandler('notifications/cancelled')
  await server.connect(transport)
  // Not every client lists JSON in its `Accept` header.
  request.headers.set('accept', ACCEPT)
  const response = toMutable(await transport.handleRequest(request, { parsedBody: body }))
  // The session id has no meaning: every node accepts it and none stores it.
  if (isMethod(body, 'initialize') && response.ok) response.headers.set('Mcp-Session-Id', crypto.randomUUID())
  return response
}

/** Copies the response, because headers are added later. */
function toMutable(response: Response): Response {
  return new Response(response.body, response)
}
