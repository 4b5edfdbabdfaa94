import { Box, Group, Paper, Table, VisuallyHidden } from '@mantine/core'
import { useFocusFallback } from '@latchkey/web/focus-fallback'
import type { Result } from '../../call.ts'
import { Delta } from '../../parts/delta.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { useText } from '../../texts/text.ts'
import { BundleIcon, accentColor } from './accent.tsx'
import { BundleActions } from './actions.tsx'
import { BundleName, type Props } from './name.tsx'

/** Bundles as a table, which has room for more of them than cards. */
export function BundleTable({ rows, search }: { rows: Result<'listBundles'>; search: string }) {
  const { t } = useText()
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table verticalSpacing="xs" horizontalSpacing="md" layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('bundles.bundle')}</Table.Th>
            <Table.Th w={180} visibleFrom="md">
              {t('bundles.trend')}
            </Table.Th>
            <Table.Th w={{ base: 96, sm: 170 }} ta="right">
              {t('bundles.clicks')}
            </Table.Th>
            <Table.Th w={60}>
              <VisuallyHidden>{t('bundles.menu')}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((bundle) => (
            <Row key={bundle.id} bundle={bundle} search={search} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

function Row({ bundle, search }: Props) {
  const { number } = useText()
  useFocusFallback('h1')
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <BundleIcon icon={bundle.icon} accent={bundle.accent} size={32} />
          <Box flex={1} miw={0}>
            <BundleName bundle={bundle} search={search} />
          </Box>
        </Group>
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Sparkline counts={bundle.sparkline} color={accentColor(bundle.accent)} />
      </Table.Td>
      <Table.Td ta="right" className="figure">
        <Group gap={6} justify="flex-end" wrap="wrap-reverse">
          <Delta value={bundle.delta_pct} />
          <span>{number(bundle.total_clicks)}</span>
        </Group>
      </Table.Td>
      <Table.Td ta="right" px={6}>
        <BundleActions bundle={bundle} />
      </Table.Td>
    </Table.Tr>
  )
}
