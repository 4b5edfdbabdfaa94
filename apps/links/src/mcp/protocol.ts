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
 * Answers messages in every revision: the current one, which knows no sessions, and those with a handshake. The SDK tells
 * which of the two a message is, and checks headers against it.
 */
export function createProtocol(log: Log) {
  return async (request: Request, body: unknown, exchange: RequestExchange): Promise<Response> => {
    const onerror = (error: Error) =>
      log.warn('an MCP message was refused', { requestId: exchange.requestId, error })
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

/** The body was read already, and what remains of the request is its method, address and headers. */
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

/** Tools stay the same while a process runs, so there is nothing to wait for. */
function refuseSubscription(body: unknown): Response {
  const { id = null } = body as { id?: unknown }
  const error = { code: -32601, message: 'Method not found: nothing here ever changes' }
  return Response.json({ jsonrpc: '2.0', error, id }, { status: 404 })
}

/** A client that started with `initialize`: it gets a session, and a stream when it takes one. */
async function answerHandshake(request: Request, body: unknown, server: Server): Promise<Response> {
  const wantsStream = request.headers.get('accept')?.includes('text/event-stream') ?? false
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsStream,
    keepAliveMs: 0,
  })
  // The server knows no requests but these. One of a batch that another of it calls off would leave the batch unanswered.
  server.removeNotificationHandler('notifications/cancelled')
  await server.connect(transport)
  // Not every client says that it takes JSON as well.
  request.headers.set('accept', ACCEPT)
  const response = toMutable(await transport.handleRequest(request, { parsedBody: body }))
  // It means nothing, so every node knows it and none has to remember it.
  if (isMethod(body, 'initialize') && response.ok) response.headers.set('Mcp-Session-Id', crypto.randomUUID())
  return response
}

/** Headers are added later, whoever made the answer. */
function toMutable(response: Response): Response {
  return new Response(response.body, response)
}
