import { ActionIcon, Box, Center, Group, Table, Text, Title, Tooltip } from '@mantine/core'
import { IconChartBar, IconTable } from '@latchkey/web/icons'
import { useState } from 'react'
import { useText } from '../texts/text.ts'
import { Bars } from './bars.tsx'
import { type Bucket, type BucketUnit, bucketNames, unitOf } from './bucket.ts'

const HEIGHT = 260

interface Props {
  /** Ascending, without gaps. */
  buckets: readonly Bucket[]
  /** By default, the unit follows from the labels. */
  unit?: BucketUnit
  /** Heading and accessible name. By default, the chart has no heading and is named "Clicks". */
  title?: string
  /** Text beside the heading, such as the time zone. */
  note?: string
}

/** Clicks by hour, day, week or month, as bars with a tooltip or as a table. */
export function TimeChart({ buckets, unit = unitOf(buckets), title, note }: Props) {
  const { t, language } = useText()
  const [isTable, setIsTable] = useState(false)
  const names = bucketNames(language, unit)
  const long = (label: string) =>
    unit === 'week' ? t('chart.week', { day: names.long(label) }) : names.long(label)
  const name = title ?? t('links.clicks')
  const ToggleIcon = isTable ? IconChartBar : IconTable
  const toggleLabel = t(isTable ? 'chart.chart' : 'chart.table')
  return (
    <Box>
      <Group justify="space-between" mb="sm" mih={30} wrap="nowrap">
        <Group gap="xs" align="baseline">
          {title !== undefined && (
            <Title order={2} fz="md">
              {title}
            </Title>
          )}
          {note !== undefined && (
            <Text size="xs" c="dimmed">
              {note}
            </Text>
          )}
        </Group>
        <Tooltip label={toggleLabel}>
          <ActionIcon
            variant="default"
            size="md"
            aria-label={toggleLabel}
            onClick={() => setIsTable(!isTable)}
          >
            <ToggleIcon size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
      {isTable ? (
        <Rows buckets={buckets} long={long} name={name} />
      ) : (
        <Drawing buckets={buckets} short={names.short} long={long} name={name} />
      )}
    </Box>
  )
}

interface DrawingProps {
  buckets: readonly Bucket[]
  short: (label: string) => string
  long: (label: string) => string
  name: string
}

function Drawing(props: DrawingProps) {
  const { t } = useText()
  if (props.buckets.every(({ count }) => count === 0))
    return (
      <Center h={HEIGHT}>
        <Text c="dimmed" size="sm">
          {t('chart.none')}
        </Text>
      </Center>
    )
  return (
    <Box h={HEIGHT}>
      <Bars {...props} height={HEIGHT} />
    </Box>
  )
}

function Rows({ buckets, long, name }: Pick<DrawingProps, 'buckets' | 'long' | 'name'>) {
  const { t, number } = useText()
  return (
    // Only a focusable region can be scrolled with the keyboard.
    <Box mah={HEIGHT} mih={HEIGHT} style={{ overflow: 'auto' }} role="region" aria-label={name} tabIndex={0}>
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('chart.when')}</Table.Th>
            <Table.Th ta="right">{t('links.clicks')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets.map(({ label, count }) => (
            <Table.Tr key={label}>
              <Table.Td>{long(label)}</Table.Td>
              <Table.Td ta="right">{number(count)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
