import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { SNIPPETS, mcpSnippet } from '../src/web/pages/keys/snippet-code.ts'
import { clients } from './mcp/assistants.ts'
import { newSqliteUrls } from './test-database.ts'
import { sharedTestLinks } from './testing.ts'

const SDKS = resolve(import.meta.dirname, '../../../sdks')
/** A Python with httpx: see CONTRIBUTING.md. */
const python = process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? ''

const links = sharedTestLinks(newSqliteUrls(), { MCP_API_KEYS: 'on' })
const folder = mkdtempSync(join(tmpdir(), 'latchkey-snippets-'))
let server: ReturnType<typeof Bun.serve>
beforeAll(async () => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: links.fetchHandler })
  // As after an installation of the client.
  const installed = join(folder, 'node_modules/latchkey-links')
  const source = JSON.stringify(join(SDKS, 'typescript/src/index.ts'))
  await Bun.write(join(installed, 'package.json'), '{"name": "latchkey-links", "exports": "./index.ts"}')
  await Bun.write(join(installed, 'index.ts'), `export * from ${source}`)
})
afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a snippet of the page of keys as it is written there, with a new key; returns its output. */
async function run(name: keyof typeof SNIPPETS, command: readonly string[]): Promise<string> {
  const access = { origin: server.url.origin, key: await links.key('ann@example.com') }
  const file = join(folder, `snippet.${name}.${name === 'TypeScript' ? 'ts' : 'txt'}`)
  await Bun.write(file, SNIPPETS[name](access))
  const child = Bun.spawn([...command, file], {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, PYTHONPATH: join(SDKS, 'python/src') },
  })
  const [output, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect([await child.exited, problems]).toEqual([0, expect.any(String)])
  return output.trim()
}

async function expectShortUrl(url: string): Promise<void> {
  const { status, headers } = await fetch(url, { redirect: 'manual' })
  expect([status, headers.get('location')]).toEqual([302, 'https://example.com/long/address'])
}

test.skipIf(Bun.which('curl') === null)('the snippet for curl creates a link', async () => {
  const { slugs } = JSON.parse(await run('curl', ['sh'])) as { slugs: { slug: string }[] }
  await expectShortUrl(new URL(slugs[0]?.slug ?? '', server.url).href)
})

test('the snippet for TypeScript creates a link and prints its short URL', async () => {
  await expectShortUrl(await run('TypeScript', [process.execPath]))
})

test.skipIf(python === '')('the snippet for Python creates a link and prints its short URL', async () => {
  await expectShortUrl(await run('Python', [python]))
})

test('the MCP configuration connects an assistant, with a key or without one on this machine', async () => {
  const { origin } = server.url
  for (const key of [await links.key('ann@example.com'), undefined]) {
    const { mcpServers } = JSON.parse(mcpSnippet({ origin, key })) as {
      mcpServers: { latchkey: { url: string; headers?: { Authorization: string } } }
    }
    const { url, headers } = mcpServers.latchkey
    const client = await clients['current client, handshake'](
      new URL(url),
      headers?.Authorization.replace(/^Bearer /, ''),
    )
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('create_link')
    await client.close()
  }
})
