/**
 * Returns a protocol error that belongs to no request. Clients display its message, and nothing of
 * any other body.
 */
export function protocolError(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}

/**
 * Returns the names of the tools that a message, or each message of a batch, calls; '' for other
 * requests.
 */
export function callsOf(body: unknown): string[] {
  return [body].flat().map((message) => {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null }
    const name = params?.name
    return method === 'tools/call' && typeof name === 'string' ? name : ''
  })
}

/**
 * Removes null arguments from the calls of a message or a batch: some clients send `null` for none.
 */
export function withoutNullArguments(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutNullArguments)
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { arguments?: unknown } | null }
  if (method !== 'tools/call' || params?.arguments !== null) return body
  const { arguments: _, ...others } = params
  return { ...(body as object), params: others }
}
