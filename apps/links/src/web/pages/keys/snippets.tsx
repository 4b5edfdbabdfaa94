import { Code, Paper, Stack, Tabs, Text, Title } from '@mantine/core'
import { Copy } from '@latchkey/web/parts/copy'
import { me } from '../../me.ts'
import { useText } from '../../texts/text.ts'

const URL = 'https://example.com/long/address'

/** Code that creates a link here, by the name of its tab. */
const SNIPPETS: Readonly<Record<string, (key: string) => string>> = {
  curl: (key) => `curl ${me.origin}/_/api/links \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"url": "${URL}"}'`,
  TypeScript: (key) => `import { LinksClient } from 'latchkey-links'

const client = new LinksClient({ baseUrl: '${me.origin}', apiKey: '${key}' })
const link = await client.links.create({ url: '${URL}' })`,
  Python: (key) => `from latchkey_links import LinksClient

client = LinksClient("${me.origin}", api_key="${key}")
link = client.links.create(url="${URL}")`,
}

/** Configuration of an assistant. Only with keys at the MCP endpoint. */
const mcpSnippet = (key: string) =>
  JSON.stringify(
    {
      mcpServers: {
        latchkey: {
          type: 'http',
          url: `${me.origin}/_/mcp`,
          headers: { Authorization: `Bearer ${key}` },
        },
      },
    },
    null,
    2,
  )

const PLACEHOLDER = 'YOUR_KEY'

/** How to use a key of this instance. Without a key, the code has a placeholder. */
export function Snippets({ rawKey = PLACEHOLDER }: { rawKey?: string }) {
  const { t } = useText()
  const all = { ...SNIPPETS, ...(me.mcp.includes('keys') && { MCP: mcpSnippet }) }
  const names = Object.keys(all)
  return (
    <Tabs defaultValue={names[0] ?? null} keepMounted={false}>
      <Tabs.List aria-label={t('keys.use')}>
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(all).map(([name, write]) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <div className="snippet">
            <Code block>{write(rawKey)}</Code>
            <Copy value={write(rawKey)} name={name} />
          </div>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** The snippets as a part of the page. */
export function UseKeys() {
  const { t } = useText()
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="use-keys">
      <Stack gap="sm">
        <div>
          <Title order={2} id="use-keys">
            {t('keys.use')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('keys.useHelp')}
          </Text>
        </div>
        <Snippets />
      </Stack>
    </Paper>
  )
}
