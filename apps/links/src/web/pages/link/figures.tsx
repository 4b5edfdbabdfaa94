import { Button, Grid, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Result } from '../../call.ts'
import { TimeChart } from '../../parts/chart.tsx'
import { Delta } from '../../parts/delta.tsx'
import { Access, Channels, Lists } from '../../parts/lists.tsx'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { RangePicker, asRange } from '../../parts/range.tsx'
import { Stale } from '../../parts/stale.tsx'
import { useCall } from '../../queries.ts'
import { Failed } from '@latchkey/web/shell/boundary'
import { useText } from '../../texts/text.ts'
import { daysOf, wordAverage } from './average.ts'
import type { Deeds } from './head.tsx'
import type { Link } from './link.ts'
import { Slugs } from './slugs.tsx'
import { useLinkState } from './state.ts'

const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

type Timeline = Result<'getLinkTimeline'>

/** Everything that was counted, in the range of the page's address; without one there, in the person's own. */
export function Figures(deeds: Deeds) {
  const { say } = useText()
  const { link } = deeds
  const [view, setView] = useQueryString({ range: '' })
  const range = asRange(view.range)
  const query = range ? { range } : {}
  const params = { id: link.id }
  const analytics = useCall('links', 'getLinkAnalytics', { params, query })
  const timeline = useCall('links', 'getLinkTimeline', { params, query: { ...query, tz: timeZone } })
  const again = () => void Promise.all([analytics.refetch(), timeline.refetch()])
  const stats = analytics.data?.body
  const error = analytics.error ?? timeline.error
  const choose = (chosen: string) => setView({ range: chosen })
  const counts = stats && new Map(stats.slug_clicks.map(({ slug, count }) => [slug, count]))
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Title order={2}>{say('link.figures')}</Title>
        <RangePicker value={range ?? timeline.data?.body.range} onChange={choose} />
      </Group>
      {error && !stats && <Failed error={error} onRetry={again} />}
      <Stale is={analytics.isPlaceholderData || timeline.isPlaceholderData}>
        <Totals link={link} stats={stats} timeline={timeline.data?.body} />
        <Clicks link={link} stats={stats} timeline={timeline.data?.body} showAll={() => choose('all')} />
        <Grid gap="md" align="stretch">
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <Slugs counts={counts} {...deeds} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }}>
            <Stack gap="md" h="100%">
              <Access stats={stats} />
              <Channels id={link.id} range={range} stats={stats} />
            </Stack>
          </Grid.Col>
        </Grid>
        {stats && stats.total_clicks > 0 && <Lists id={link.id} range={range} stats={stats} />}
      </Stale>
    </Stack>
  )
}

interface Counted {
  link: Link
  stats: Result<'getLinkAnalytics'> | undefined
  timeline: Timeline | undefined
}

function Totals({ link, stats, timeline }: Counted) {
  const { say, number, language } = useText()
  const days =
    timeline &&
    daysOf({
      range: timeline.range,
      buckets: timeline.buckets,
      createdAt: link.created_at,
      now: Date.now() / 1000,
    })
  const figure = (value: number | undefined) => (value === undefined ? undefined : number(value))
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Figure
        name={say('link.clicks')}
        value={figure(stats?.total_clicks)}
        beside={<Delta value={stats?.delta_pct} />}
      />
      <Figure
        name={say('link.average')}
        value={stats && days && wordAverage(stats.total_clicks / days, language)}
      />
      <Figure name={say('link.visitors')} value={figure(stats?.unique_visitors)} />
      <Figure name={say('link.countries')} value={figure(stats?.num_countries)} />
    </SimpleGrid>
  )
}

function Figure({ name, value, beside }: { name: string; value: ReactNode; beside?: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Group gap="xs" align="baseline" mih={38}>
        {value === undefined ? (
          <Skeleton height={22} width={64} mt={8} />
        ) : (
          <Text fz={24} fw={650} className="figure">
            {value}
          </Text>
        )}
        {beside}
      </Group>
    </Paper>
  )
}

function Clicks({ link, stats, timeline, showAll }: Counted & { showAll: () => void }) {
  const { say } = useText()
  const state = useLinkState(link)
  if (!stats || !timeline) return <Skeleton height={340} />
  if (stats.total_clicks === 0 && link.total_clicks === 0) {
    const help = state === 'active' ? { help: say('link.noClicksHelp') } : {}
    return <Notice title={say('link.noClicks')} {...help} />
  }
  if (stats.total_clicks === 0) {
    const action = (
      <Button variant="light" onClick={showAll}>
        {say('link.allTime')}
      </Button>
    )
    return (
      <Notice title={say('link.noClicksInRange')} help={say('link.noClicksInRangeHelp')} action={action} />
    )
  }
  return (
    <Paper withBorder p="md">
      <TimeChart buckets={timeline.buckets} title={say('link.timeline')} />
    </Paper>
  )
}
