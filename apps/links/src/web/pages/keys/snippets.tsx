import { Code, Paper, Stack, Tabs, Text, Title } from '@mantine/core'
import { Copy } from '@latchkey/web/parts/copy'
import { me } from '../../me.ts'
import { useText } from '../../texts/text.ts'
import { SNIPPETS, mcpSnippet } from './snippet-code.ts'

const PLACEHOLDER = 'YOUR_KEY'

/** How to use a key of this instance. Without a key, the code has a placeholder. */
export function Snippets({ rawKey = PLACEHOLDER }: { rawKey?: string }) {
  const { t } = useText()
  const { origin } = me
  const mcpKey = me.mcp.includes('keys') ? rawKey : undefined
  const code = [
    ...Object.entries(SNIPPETS).map(([name, write]) => [name, write({ origin, key: rawKey })] as const),
    ...(me.mcp.length > 0 ? [['MCP', mcpSnippet({ origin, key: mcpKey })] as const] : []),
  ]
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List aria-label={t('keys.use')}>
        {code.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {code.map(([name, text]) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <div className="snippet">
            <Code block>{text}</Code>
            <Copy value={text} name={name} />
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
