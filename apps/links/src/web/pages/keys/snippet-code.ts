/** Where the code runs: the origin of the instance, and a key of it. */
interface Access {
  origin: string
  key: string
}

const URL = 'https://example.com/long/address'

/** Programs that create a link and print its short URL or the answer, by the name of their tab. */
export const SNIPPETS = {
  curl: ({ origin, key }: Access) => `curl ${origin}/_/api/links \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"url": "${URL}"}'`,

  TypeScript: ({ origin, key }: Access) => `import { LinksClient } from 'latchkey-links'

const client = new LinksClient({ baseUrl: '${origin}', apiKey: '${key}' })
const link = await client.links.create({ url: '${URL}' })
console.log('${origin}/' + link.slugs[0].slug)`,

  Python: ({ origin, key }: Access) => `from latchkey_links import LinksClient

client = LinksClient("${origin}", api_key="${key}")
link = client.links.create(url="${URL}")
print("${origin}/" + link.slugs[0].slug)`,
} as const

/**
 * The configuration of an MCP client. Without a key, the assistant signs in, or needs no sign-in on
 * this machine.
 */
export function mcpSnippet({ origin, key }: Pick<Access, 'origin'> & { key: string | undefined }): string {
  const server = {
    type: 'http',
    url: `${origin}/_/mcp`,
    ...(key !== undefined && { headers: { Authorization: `Bearer ${key}` } }),
  }
  return JSON.stringify({ mcpServers: { latchkey: server } }, null, 2)
}
