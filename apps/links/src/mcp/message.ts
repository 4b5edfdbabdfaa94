/** An error of the protocol that belongs to no request: clients show the message, and of any other body nothing. */
export function protocolError(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}

/** Names of the tools that a message, or each message of a batch, calls; '' for other requests. */
export function callsOf(body: unknown): string[] {
  return [body].flat().map((message) => {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null }
    const name = params?.name
    return method === 'tools/call' && typeof name === 'string' ? name : ''
  })
}

/** A message, or a batch, in which calls without arguments have none: some clients send `null` for them. */
export function withoutNullArguments(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutNullArguments)
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { arguments?: unknown } | null }
  if (method !== 'tools/call' || params?.arguments !== null) return body
  const { arguments: _, ...others } = params
  return { ...(body as object), params: others }
}
