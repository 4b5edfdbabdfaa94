import { Button, Code, Paper, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { type Ref, useState } from 'react'
import { useText } from '../../texts/text.ts'
import { RevokeKey } from './revoke-key.tsx'
import type { Key } from './types.ts'

export function KeyTable({ keys, ref }: { keys: readonly Key[]; ref: Ref<HTMLTableElement> }) {
  const { t } = useText()
  const [keyToRevoke, setKeyToRevoke] = useState<Key>()
  return (
    <Paper withBorder>
      <Table
        ref={ref}
        tabIndex={-1}
        aria-label={t('nav.keys')}
        verticalSpacing="sm"
        horizontalSpacing="md"
        layout="fixed"
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('keys.title')}</Table.Th>
            <Table.Th w={132} visibleFrom="sm">
              {t('keys.prefix')}
            </Table.Th>
            <Table.Th w={160} visibleFrom="md">
              {t('keys.scope')}
            </Table.Th>
            <Table.Th w={130} visibleFrom="md" ta="right">
              {t('keys.created')}
            </Table.Th>
            <Table.Th w={170} visibleFrom="md" ta="right">
              {t('keys.lastUsed')}
            </Table.Th>
            <Table.Th w={118}>
              <VisuallyHidden>{t('keys.actions')}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Row key={key.id} apiKey={key} onRevoke={() => setKeyToRevoke(key)} />
          ))}
        </Table.Tbody>
      </Table>
      {keyToRevoke && <RevokeKey apiKey={keyToRevoke} onClose={() => setKeyToRevoke(undefined)} />}
    </Paper>
  )
}

function Row({ apiKey, onRevoke }: { apiKey: Key; onRevoke: () => void }) {
  const { t, day, moment } = useText()
  const { title, key_prefix, scope, created_at, last_used_at } = apiKey
  const lastUse = last_used_at === null ? t('keys.never') : t('keys.usedOn', { day: day(last_used_at) })
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Text>
        {/* The values of the columns that are hidden at this width. */}
        <Stack gap={2} hiddenFrom="md" mt={2}>
          <Text size="sm" c="dimmed" hiddenFrom="sm">
            <Code>{key_prefix}…</Code>
          </Text>
          <Text size="sm" c="dimmed">
            {t(`keys.scope.${scope}`)}
          </Text>
          <Text size="sm" c="dimmed">
            {t('keys.createdOn', { day: day(created_at) })}
          </Text>
          <Text size="sm" c="dimmed">
            {lastUse}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Code>{key_prefix}…</Code>
      </Table.Td>
      <Table.Td visibleFrom="md">{t(`keys.scope.${scope}`)}</Table.Td>
      <Table.Td visibleFrom="md" ta="right" title={moment(created_at)}>
        {day(created_at)}
      </Table.Td>
      <Table.Td visibleFrom="md" ta="right">
        {last_used_at === null ? (
          <Text size="sm" c="dimmed">
            {t('keys.never')}
          </Text>
        ) : (
          <span title={moment(last_used_at)}>{day(last_used_at)}</span>
        )}
      </Table.Td>
      <Table.Td ta="right">
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          aria-label={t('keys.revokeNamed', { title })}
          onClick={onRevoke}
        >
          {t('keys.revoke')}
        </Button>
      </Table.Td>
    </Table.Tr>
  )
}
