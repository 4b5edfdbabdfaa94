import { afterAll, beforeAll, expect } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { TestLinks } from '../testing.ts'

/** People come through a proxy that names them. Assistants come with keys. */
export const settings = {
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '127.0.0.1',
  MCP_API_KEYS: 'on',
}

export const ann = 'ann@example.com'
export const ben = 'ben@example.com'

/** Opens a real port in front of a service, for the tests of the `describe` that calls this. */
export function listenOnPort(links: TestLinks): { url: (path?: string) => URL } {
  let server: ReturnType<typeof Bun.serve> | undefined
  beforeAll(() => {
    server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (...args) => links.fetchHandler(...args) })
  })
  afterAll(async () => {
    await server?.stop(true)
  })
  return {
    url(path = '/_/mcp') {
      if (!server) throw new Error('The port is used before it is open')
      return new URL(path, server.url)
    },
  }
}

const clientInfo = { name: 'test', version: '1.0.0' }

const bearer = (key: string | undefined) =>
  key === undefined ? {} : { requestInit: { headers: { Authorization: `Bearer ${key}` } } }

/** The official clients, each as users run it. */
export const clients = {
  'current client, current revision': async (url: URL, key?: string) => {
    const client = new Client(clientInfo, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(url, bearer(key)))
    return client
  },
  'current client, handshake': async (url: URL, key?: string) => {
    const client = new Client(clientInfo)
    await client.connect(new StreamableHTTPClientTransport(url, bearer(key)))
    return client
  },
  'previous major': async (url: URL, key?: string) => {
    const client = new OldClient(clientInfo)
    await client.connect(new OldTransport(url, bearer(key)))
    return client
  },
} as const

/** The answer of a tool: its text, the parsed value, and the structured copy. */
export interface ToolOutcome {
  text: string
  isError: boolean
  // oxlint-disable-next-line typescript/no-explicit-any -- results are judged field by field, as an assistant sees them
  value: any
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  structured: any
  content: { type: string; text?: string; data?: string; mimeType?: string }[]
}

export function parseToolResult(result: unknown): ToolOutcome {
  const { content, structuredContent, isError } = result as {
    content: ToolOutcome['content']
    structuredContent?: unknown
    isError?: boolean
  }
  const text = content[0]?.text ?? ''
  return {
    text,
    isError: isError === true,
    value: isError ? undefined : JSON.parse(text),
    structured: structuredContent,
    content,
  }
}

/** Calls tools of the current revision with a key, without a network. */
export function createToolCaller(links: TestLinks, key: () => string) {
  return async (name: string, args: Record<string, unknown> = {}): Promise<ToolOutcome> => {
    const response = await post(links, currentMessage('tools/call', { name, arguments: args }), {
      Authorization: `Bearer ${key()}`,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    })
    const body = (await response.json()) as { result?: unknown; error?: unknown }
    expect([name, response.status, body.error]).toEqual([name, 200, undefined])
    return parseToolResult(body.result)
  }
}

export const CURRENT = '2026-07-28'

export function currentMessage(method: string, params: Record<string, unknown> = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': CURRENT,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
}

/** Sends one message of the current revision, or of another one with its own headers. */
export function post(
  links: TestLinks,
  message: unknown,
  headers: Record<string, string> = {},
  path = '/_/mcp',
): Promise<Response> {
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  return links.fetch(path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': CURRENT,
      Host: 'localhost:8080',
      ...headers,
    },
    body,
  })
}
