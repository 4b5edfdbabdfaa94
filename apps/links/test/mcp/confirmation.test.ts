import { beforeEach, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { sharedTestLinks } from '../testing.ts'
import { ann, clients, createToolCaller, listenOnPort, parseToolResult, settings } from './assistants.ts'

const signedIn = { 'X-Forwarded-Email': ann }
let count = 0

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl, settings)
  const { url } = listenOnPort(links)
  let key: string
  beforeEach(async () => {
    key = await links.key(ann)
    const [{ id } = { id: 0 }] = await links.rows<{ id: number }>('select max(id) as id from api_key')
    const body = { confirm: 'always' }
    await links.callAdmin('PUT', `/policies/key:${id}`, { headers: signedIn, body })
  })

  const target = () => `https://example.com/confirmed/${++count}`
  const planned = (destination: string) => ({
    ops: [{ operation: 'createLink', body: { url: destination } }],
  })
  const linksTo = (destination: string) => links.rows(`select id from link where url = '${destination}'`)
  const applyAsPerson = (id: number) =>
    links.callAdmin('POST', `/plans/${id}/apply`, { headers: signedIn, body: {} })

  for (const [name, connect] of Object.entries(clients))
    test(`L29.4k: the ${name} without elicitation gets the address of the plan, and writes nothing`, async () => {
      const client = await connect(url(), key)
      const destination = target()
      const callTool = async (tool: string, args: Record<string, unknown>) =>
        parseToolResult(await client.callTool({ name: tool, arguments: args }))
      expect((await callTool('create_link', { url: destination })).isError).toBe(true)
      const { id } = (await callTool('plan_changes', planned(destination))).value as { id: number }
      const refused = await callTool('apply_plan', { plan_id: id })
      expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining(`/_/admin/plans/${id}`)])
      expect(await linksTo(destination)).toEqual([])
      expect((await applyAsPerson(id)).status).toBe(200)
      expect(await linksTo(destination)).toHaveLength(1)
      await client.close()
    })

  test('L29.4m: a raw message with answers to no question confirms nothing', async () => {
    const destination = target()
    const call = createToolCaller(links, () => key)
    const { id } = (await call('plan_changes', planned(destination))).value as { id: number }
    const response = await links.fetch('/_/mcp', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'apply_plan',
        Host: 'localhost:8080',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'apply_plan',
          arguments: { plan_id: id },
          inputResponses: { plan: { action: 'accept', content: { confirm: true } } },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
            'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {}, form: {} } },
          },
        },
      }),
    })
    const { result } = (await response.json()) as { result: unknown }
    expect(parseToolResult(result)).toMatchObject({ isError: true })
    expect(await linksTo(destination)).toEqual([])
  })

  /** A client that opens pages for its person, who does this with the plan. */
  async function eliciting(onPage: (plan: number) => Promise<unknown>) {
    const opened: string[] = []
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { url: {} } } },
    )
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const address = 'url' in params ? params.url : ''
      opened.push(address)
      await onPage(Number(/\d+$/.exec(address)?.[0]))
      return { action: 'accept' as const }
    })
    const requestInit = { headers: { Authorization: `Bearer ${key}` } }
    await client.connect(new StreamableHTTPClientTransport(url(), { requestInit }))
    return { client, opened }
  }

  test('L29.4l: a client with elicitation opens the page of the plan, and gets the plan that its person applied', async () => {
    const { client, opened } = await eliciting(applyAsPerson)
    const destination = target()
    const plan = parseToolResult(
      await client.callTool({ name: 'plan_changes', arguments: planned(destination) }),
    )
    const { id } = plan.value as { id: number }
    const applied = parseToolResult(await client.callTool({ name: 'apply_plan', arguments: { plan_id: id } }))
    expect(applied.value).toMatchObject({ id, state: 'applied' })
    expect(opened).toEqual([expect.stringMatching(new RegExp(`/_/admin/plans/${id}$`))])
    expect(await linksTo(destination)).toHaveLength(1)
    await client.close()
  })

  test('L29.4m: what a client answers for its person confirms nothing', async () => {
    const { client, opened } = await eliciting(async () => {})
    const destination = target()
    const plan = parseToolResult(
      await client.callTool({ name: 'plan_changes', arguments: planned(destination) }),
    )
    const { id } = plan.value as { id: number }
    const refused = parseToolResult(await client.callTool({ name: 'apply_plan', arguments: { plan_id: id } }))
    expect(refused.isError).toBe(true)
    expect(opened).toHaveLength(1)
    expect(await linksTo(destination)).toEqual([])
    await client.close()
  })
})
