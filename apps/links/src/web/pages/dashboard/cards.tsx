import { Group, Paper, SimpleGrid, Text } from '@mantine/core'
import type { Result } from '../../call.ts'
import { Delta } from '../../parts/delta.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import type { OwnKey } from '../../texts/index.ts'
import { useText } from '../../texts/text.ts'
import { formatAverage } from '../link/average.ts'

interface Stat {
  title: OwnKey
  value: string
  change: number | undefined
  counts: readonly number[]
}

function useStats(stats: Result<'getDashboard'>): readonly Stat[] {
  const { number, language } = useText()
  return [
    {
      title: 'dashboard.clicks',
      value: number(stats.total_clicks),
      change: stats.total_clicks_delta,
      counts: stats.timeline,
    },
    {
      title: 'dashboard.perDay',
      value: formatAverage(stats.total_clicks / stats.days, language),
      change: stats.clicks_per_day_delta,
      counts: stats.timeline,
    },
    {
      title: 'dashboard.clickedLinks',
      value: number(stats.clicked_links),
      change: stats.clicked_links_delta,
      counts: stats.timeline_clicked_links,
    },
    {
      title: 'dashboard.links',
      value: number(stats.total_links),
      change: stats.new_links_delta,
      counts: stats.timeline_links,
    },
  ]
}

export function Cards({ stats }: { stats: Result<'getDashboard'> }) {
  return (
    <SimpleGrid component="section" cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', sm: 'md' }}>
      {useStats(stats).map((stat) => (
        <Card key={stat.title} {...stat} />
      ))}
    </SimpleGrid>
  )
}

function Card({ title, value, change, counts }: Stat) {
  const { t } = useText()
  return (
    <Paper withBorder p="md" pb={0} display="flex" style={{ flexDirection: 'column', overflow: 'hidden' }}>
      <Text size="sm" c="dimmed">
        {t(title)}
      </Text>
      <Group gap="xs" align="baseline" mih={36}>
        <Text fz={26} fw={600} lh={1.3} className="figure">
          {value}
        </Text>
        <Delta value={change} />
      </Group>
      <div className="card-sparkline">
        <Sparkline counts={counts} />
      </div>
    </Paper>
  )
}
