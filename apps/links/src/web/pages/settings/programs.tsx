import { Anchor, Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconExternalLink, IconLogout } from '@latchkey/web/icons'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { me } from '../../me.ts'
import { clearDrafts } from '@latchkey/web/draft-storage'
import { Copy } from '@latchkey/web/parts/copy'
import { useText } from '../../texts/text.ts'
import { Section } from './section.tsx'

export function Account() {
  const { t } = useText()
  return (
    <Section title={t('settings.account')}>
      <Item title={t('settings.identity')}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {me.identity}
        </Text>
      </Item>
      {me.canSignOut && (
        <Group>
          <Button
            component="a"
            href="/_/admin/logout"
            onClick={clearDrafts}
            variant="default"
            leftSection={<IconLogout size={16} aria-hidden />}
          >
            {t('settings.signOut')}
          </Button>
        </Group>
      )}
    </Section>
  )
}

export function Programs() {
  const { t } = useText()
  return (
    <Section title={t('settings.developers')}>
      <Item title={t('settings.reference')} help={t('settings.referenceHelp')}>
        <Group gap="md">
          <Anchor href="/_/api/docs" target="_blank" underline="always" size="sm">
            {t('settings.open')} <IconExternalLink size={14} aria-hidden style={{ verticalAlign: -2 }} />
          </Anchor>
          <Anchor href="/_/api/openapi.json" target="_blank" underline="always" size="sm">
            {t('settings.description')}{' '}
            <IconExternalLink size={14} aria-hidden style={{ verticalAlign: -2 }} />
          </Anchor>
          <Anchor component={Link} href="/keys" underline="always" size="sm">
            {t('settings.keys')}
          </Anchor>
        </Group>
      </Item>
      <Item title={t('settings.sdks')} help={t('settings.sdksHelp')}>
        <Stack gap="md">
          <Copyable text={me.origin} />
        </Stack>
      </Item>
      <Mcp />
    </Section>
  )
}

function Mcp() {
  const { t } = useText()
  const isOn = me.mcp.length > 0
  return (
    <>
      <Item title={t('settings.mcp')} help={t('settings.mcpHelp')}>
        <Copyable text={`${me.origin}/_/mcp`} />
      </Item>
      <Item title={t('settings.mcpState')}>
        <Group gap="xs" align="baseline">
          <Badge variant="default" tt="none" fw={500}>
            {t(isOn ? 'settings.mcpOn' : 'settings.mcpOff')}
          </Badge>
          <Text size="sm" c="dimmed" flex={1}>
            {isOn
              ? me.mcp.map((method) => t(`settings.mcp.${method}`)).join(' · ')
              : t('settings.mcpOffHelp')}
          </Text>
        </Group>
      </Item>
    </>
  )
}

function Item({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {help !== undefined && (
        <Text size="xs" c="dimmed" mb={6}>
          {help}
        </Text>
      )}
      {children}
    </div>
  )
}

function Copyable({ text }: { text: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere' }}>{text}</Code>
      <Copy value={text} />
    </Group>
  )
}
