import { BarChart } from '@mantine/charts'
import { Paper, Text } from '@mantine/core'
import { useText } from '../texts/text.ts'
import type { DrawingProps } from './chart.tsx'

/** The drawing of a `TimeChart`: in a file of its own, because the library it takes is larger than a page. */
export default function Bars({ buckets, short, long, name }: DrawingProps) {
  const { say, number } = useText()
  const counts = buckets.map(({ count }) => count)
  const total = counts.reduce((sum, count) => sum + count, 0)
  return (
    <BarChart
      h="100%"
      data={buckets as { label: string; count: number }[]}
      dataKey="label"
      series={[{ name: 'count', label: say('links.clicks'), color: 'var(--chart-bars)' }]}
      tickLine="none"
      maxBarWidth={36}
      valueFormatter={number}
      barProps={{ isAnimationActive: false, radius: [3, 3, 0, 0] }}
      barChartProps={{
        title: say('chart.summary', { title: name, total: number(total) }),
        barCategoryGap: '18%',
      }}
      xAxisProps={{ tickFormatter: short, minTickGap: 24, interval: 'equidistantPreserveStart' }}
      yAxisProps={{ allowDecimals: false, width: axisWidth(number(Math.max(...counts))) }}
      tooltipProps={{
        isAnimationActive: false,
        content: ({ active, payload }) => {
          const bucket = payload?.[0]?.payload as DrawingProps['buckets'][number] | undefined
          return active && bucket ? <Tip when={long(bucket.label)} count={bucket.count} /> : null
        },
      }}
    />
  )
}

/** Room for figures as wide as this one, and the gap beside them; measuring them would draw the chart twice. */
const axisWidth = (widest: string) => 8 * widest.length + 24

function Tip({ when, count }: { when: string; count: number }) {
  const { say, number } = useText()
  return (
    <Paper withBorder shadow="md" px="sm" py={6}>
      <Text size="xs" c="dimmed">
        {when}
      </Text>
      <Text size="sm" fw={600} className="figure">
        {number(count)}{' '}
        <Text span size="sm" fw={400}>
          {say('links.clicks')}
        </Text>
      </Text>
    </Paper>
  )
}
