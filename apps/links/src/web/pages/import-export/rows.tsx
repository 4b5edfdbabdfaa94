import { Chip, Group, Pagination, Paper, Stack, Table, Text } from '@mantine/core'
import { IconAlertTriangle, IconArrowForwardUp, IconCheck, IconX } from '@latchkey/web/icons'
import { useState } from 'react'
import { useText } from '../../texts/text.ts'
import type { Row } from './job.ts'
import { reasonText } from './reason.ts'

const ROWS_PER_PAGE = 25

type Outcome = Row['result']

const icons = {
  imported: IconCheck,
  skipped: IconArrowForwardUp,
  conflict: IconAlertTriangle,
  bad: IconX,
} satisfies Record<Outcome, unknown>

/** Parts of the keys of outcomes. A preview names what an import would do. */
function outcomeTexts(isPreview: boolean) {
  return {
    imported: isPreview ? 'willImport' : 'imported',
    skipped: isPreview ? 'willSkip' : 'skipped',
    conflict: 'conflict',
    bad: 'bad',
  } as const
}

interface Props {
  rows: readonly Row[]
  isPreview: boolean
}

export function Rows({ rows, isPreview }: Props) {
  const { t, number } = useText()
  const [filter, setFilter] = useState<Outcome | 'all'>('all')
  const [page, setPage] = useState(1)
  const texts = outcomeTexts(isPreview)
  const filteredRows = filter === 'all' ? rows : rows.filter(({ result }) => result === filter)
  const outcomes = (Object.keys(icons) as Outcome[])
    .map((result) => ({ result, count: rows.filter((row) => row.result === result).length }))
    .filter(({ count }) => count > 0)
  const select = (value: string) => {
    setFilter(value as Outcome | 'all')
    setPage(1)
  }
  return (
    <Stack gap="md">
      <Chip.Group value={filter} onChange={select}>
        <Group gap="xs" role="radiogroup" aria-label={t('transfer.rows')}>
          <Chip value="all" variant="outline">{`${t('transfer.all')} ${number(rows.length)}`}</Chip>
          {outcomes.map(({ result, count }) => (
            <Chip key={result} value={result} variant="outline">
              {`${t(`transfer.${texts[result]}`)} ${number(count)}`}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <RowTable
        rows={filteredRows.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE)}
        isPreview={isPreview}
      />
      {filteredRows.length > ROWS_PER_PAGE && (
        <Pagination
          aria-label={t('transfer.pages')}
          size="sm"
          total={Math.ceil(filteredRows.length / ROWS_PER_PAGE)}
          value={page}
          onChange={setPage}
          getControlProps={(control) => ({
            'aria-label': t(control === 'previous' ? 'links.previousPage' : 'links.nextPage'),
          })}
          getItemProps={(item) => ({ 'aria-label': number(item) })}
        />
      )}
    </Stack>
  )
}

function RowTable({ rows, isPreview }: Props) {
  const { t, number } = useText()
  return (
    <Paper withBorder>
      <Table verticalSpacing="xs" horizontalSpacing="md" layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={76} ta="right">
              {t('transfer.line')}
            </Table.Th>
            <Table.Th w={180} visibleFrom="sm">
              {t(isPreview ? 'transfer.outcome' : 'transfer.importOutcome')}
            </Table.Th>
            <Table.Th w={160} visibleFrom="md">
              {t('transfer.slug')}
            </Table.Th>
            <Table.Th>{t('transfer.url')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.line}>
              <Table.Td ta="right">{number(row.line)}</Table.Td>
              <Table.Td visibleFrom="sm">
                <OutcomeText result={row.result} isPreview={isPreview} />
              </Table.Td>
              <Table.Td visibleFrom="md">
                <Text size="sm" truncate>
                  {row.slug}
                </Text>
              </Table.Td>
              <Table.Td>
                <Details row={row} isPreview={isPreview} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

function Details({ row, isPreview }: { row: Row; isPreview: boolean }) {
  const { t } = useText()
  const { url, slug, reason, result } = row
  return (
    <Stack gap={2}>
      {url !== undefined && (
        <Text size="sm" truncate title={url}>
          {url}
        </Text>
      )}
      {slug !== undefined && (
        <Text size="sm" truncate hiddenFrom="md">
          {slug}
        </Text>
      )}
      <Group hiddenFrom="sm">
        <OutcomeText result={result} isPreview={isPreview} />
      </Group>
      {reason !== undefined && (
        <Text size="xs" c="dimmed" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
          {reasonText(t, row)}
        </Text>
      )}
    </Stack>
  )
}

function OutcomeText({ result, isPreview }: { result: Outcome; isPreview: boolean }) {
  const { t } = useText()
  const Icon = icons[result]
  return (
    <Group gap={6} wrap="nowrap">
      <Icon size={16} aria-hidden />
      <Text size="sm">{t(`transfer.is.${outcomeTexts(isPreview)[result]}`)}</Text>
    </Group>
  )
}
