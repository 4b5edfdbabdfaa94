/** An error of the protocol that belongs to no request. */
export function protocolError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}

/** Names of the tools that a message, or each message of a batch, calls; '' for other requests. */
export function callsOf(body: unknown): string[] {
  return [body].flat().map((message) => {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null }
    const name = params?.name
    return method === 'tools/call' && typeof name === 'string' ? name : ''
  })
}
