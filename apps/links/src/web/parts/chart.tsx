import { ActionIcon, Box, Center, Group, Table, Text, Title } from '@mantine/core'
import { IconChartBar, IconDownload, IconTable } from '@latchkey/web/icons'
import { type ReactNode, useState } from 'react'
import { useText } from '../texts/text.ts'
import { Bars } from './bars.tsx'
import { type Bucket, type Timeline, bucketNames } from './bucket.ts'

const HEIGHT = 260

export interface ChartProps {
  timeline: Timeline
  title: string
  /** Text beside the heading, such as the time zone. */
  note?: ReactNode
  /** True if the window ends now, so that the last bucket is not over. */
  isCurrent: boolean
  /** Called with the first and last position of the bars that the user selected. */
  onSelect: (first: number, last: number) => void
}

/** Clicks by hour, day, week or month, as bars with a tooltip or as a table. */
export function TimeChart(props: ChartProps) {
  const { t } = useText()
  const [isTable, setIsTable] = useState(false)
  const { timeline, title, note } = props
  const ToggleIcon = isTable ? IconChartBar : IconTable
  const toggleLabel = t(isTable ? 'chart.chart' : 'chart.table')
  const hasClicks = [...timeline.buckets, ...(timeline.comparison ?? [])].some(({ clicks }) => clicks > 0)
  const Content = isTable ? Rows : hasClicks ? Drawing : Empty
  return (
    <Box>
      <Group justify="space-between" mb="sm" mih={30} wrap="nowrap">
        <Group gap="sm" align="baseline">
          <Title order={2}>{title}</Title>
          <Text size="xs" c="dimmed" component="div">
            {note}
          </Text>
        </Group>
        <Group gap="xs" wrap="nowrap">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="md"
            aria-label={toggleLabel}
            data-tooltip={toggleLabel}
            onClick={() => setIsTable(!isTable)}
          >
            <ToggleIcon size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
          <ActionIcon
            component="a"
            href={csvAddress(timeline)}
            download={`latchkey-${timeline.unit}s.csv`}
            variant="subtle"
            color="gray"
            size="md"
            aria-label={t('analytics.csvOf', { what: title })}
            data-tooltip={t('analytics.csv')}
          >
            <IconDownload size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Group>
      </Group>
      <Content {...props} />
    </Box>
  )
}

/** The chart as a file. The labels of buckets are dates, which no spreadsheet takes for a formula. */
function csvAddress({ unit, buckets, comparison }: Timeline): string {
  const head = [unit, 'clicks', ...(comparison ? ['comparison'] : [])]
  const lines = buckets.map(({ label, clicks }, index) => [
    label,
    clicks,
    ...(comparison ? [comparison[index]?.clicks ?? ''] : []),
  ])
  const text = [head, ...lines].map((line) => line.join(',')).join('\r\n')
  return `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`
}

function Empty() {
  const { t } = useText()
  return (
    <Center h={HEIGHT}>
      <Text c="dimmed" size="sm">
        {t('chart.none')}
      </Text>
    </Center>
  )
}

/** Formats of the buckets of a timeline, and what is special about a bucket. */
function useBucketTexts({ timeline, isCurrent }: Pick<ChartProps, 'timeline' | 'isCurrent'>) {
  const { t, language } = useText()
  const { unit, buckets } = timeline
  const names = bucketNames(language, unit)
  const noteOf = (index: number) => {
    const isLast = index === buckets.length - 1
    if (isLast && timeline.last_partial && isCurrent) return t(`chart.soFar.${unit}`)
    const isPartial = (index === 0 && timeline.first_partial) || (isLast && timeline.last_partial)
    return isPartial ? t('chart.partial') : undefined
  }
  const long = ({ label }: Bucket) =>
    unit === 'week' ? t('chart.week', { day: names.long(label) }) : names.long(label)
  return { long, noteOf, short: ({ label }: Bucket) => names.short(label) }
}

function Drawing(props: ChartProps) {
  return (
    <Box h={HEIGHT}>
      <Bars
        timeline={props.timeline}
        height={HEIGHT}
        name={props.title}
        texts={useBucketTexts(props)}
        onSelect={props.onSelect}
      />
    </Box>
  )
}

function Rows(props: ChartProps) {
  const { t, number } = useText()
  const { buckets, comparison } = props.timeline
  const { long, noteOf } = useBucketTexts(props)
  return (
    // Only a focusable region can be scrolled with the keyboard.
    <Box
      mah={HEIGHT}
      mih={HEIGHT}
      style={{ overflow: 'auto' }}
      role="region"
      aria-label={props.title}
      tabIndex={0}
    >
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('chart.when')}</Table.Th>
            <Table.Th ta="right">{t('links.clicks')}</Table.Th>
            {comparison && <Table.Th ta="right">{t('analytics.comparison')}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets.map((bucket, index) => (
            <Table.Tr key={bucket.label}>
              <Table.Td>{[long(bucket), noteOf(index)].filter(Boolean).join(' · ')}</Table.Td>
              <Table.Td ta="right">{number(bucket.clicks)}</Table.Td>
              {comparison && (
                <Table.Td ta="right" c="dimmed">
                  {comparison[index] && number(comparison[index].clicks)}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
