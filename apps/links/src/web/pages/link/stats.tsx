import { Button, Grid, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Range } from '../../../analytics/schema.ts'
import type { Result } from '../../call.ts'
import { TimeChart } from '../../parts/chart.tsx'
import { Delta } from '../../parts/delta.tsx'
import { LinkModes, Channels, Breakdowns } from '../../parts/breakdowns.tsx'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { RangePicker, parseRange } from '../../parts/range.tsx'
import { StaleContent } from '../../parts/stale-content.tsx'
import { hasUnknownVisitors } from '../../parts/visitors.ts'
import { timeZone } from '../../parts/time-zone.ts'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../../texts/text.ts'
import { countDays, formatAverage } from './average.ts'
import type { LinkControls } from './link-header.tsx'
import type { Link } from './link.ts'
import { Slugs } from './slugs.tsx'
import { useLinkState } from './use-link-state.ts'

type Timeline = Result<'getLinkTimeline'>

/** Body of a result. Undefined while loading, null after an error. */
function bodyOf<Body>({
  data,
  isLoadingError,
}: {
  data?: { body: Body } | undefined
  isLoadingError: boolean
}) {
  return data?.body ?? (isLoadingError ? null : undefined)
}

function useLinkStats(id: number, range: Range | undefined) {
  const query = range ? { range } : {}
  const params = { id }
  const analytics = useCall('links', 'getLinkAnalytics', { params, query })
  const timeline = useCall('links', 'getLinkTimeline', { params, query: { ...query, tz: timeZone } })
  return {
    stats: bodyOf(analytics),
    timeline: bodyOf(timeline),
    error: analytics.error ?? timeline.error,
    isStale: analytics.isPlaceholderData || timeline.isPlaceholderData,
    refetch: () => void Promise.all([analytics.refetch(), timeline.refetch()]),
  }
}

/** Statistics of the link in the range of the address, else in the user's default range. */
export function LinkStats(controls: LinkControls) {
  const { t } = useText()
  const { link } = controls
  const [view, setView] = useQueryString({ range: '' })
  const range = parseRange(view.range)
  const { stats, timeline, error, isStale, refetch } = useLinkStats(link.id, range)
  const selectRange = (next: string) => setView({ range: next })
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Title order={2}>{t('link.stats')}</Title>
        <RangePicker value={range ?? timeline?.range} onChange={selectRange} />
      </Group>
      <StaleContent isStale={isStale}>
        {stats !== null && <Totals link={link} stats={stats} timeline={timeline} />}
        {stats === null || timeline === null ? (
          <ErrorNotice error={error} onRetry={refetch} />
        ) : (
          <Clicks link={link} stats={stats} timeline={timeline} showAll={() => selectRange('all')} />
        )}
        <SlugsAndChannels stats={stats} range={range} controls={controls} />
        {stats && stats.total_clicks > 0 && (
          <Breakdowns subject="link" id={link.id} range={range} stats={stats} />
        )}
      </StaleContent>
    </Stack>
  )
}

type Stats = Result<'getLinkAnalytics'>

interface SlugsAndChannelsProps {
  stats: Stats | null | undefined
  range: Range | undefined
  controls: LinkControls
}

/**
 * Clicks by slug and channel. Slugs are listed even without statistics, because of their actions.
 */
function SlugsAndChannels({ stats, range, controls }: SlugsAndChannelsProps) {
  const counts = stats ? new Map(stats.slug_clicks.map(({ slug, count }) => [slug, count])) : undefined
  return (
    <Grid gap="md" align="stretch">
      <Grid.Col span={{ base: 12, lg: stats === null ? 12 : 8 }}>
        <Slugs counts={counts} {...controls} />
      </Grid.Col>
      {stats !== null && (
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md" h="100%">
            <LinkModes stats={stats} />
            <Channels subject="link" id={controls.link.id} range={range} stats={stats} />
          </Stack>
        </Grid.Col>
      )}
    </Grid>
  )
}

interface StatsProps {
  link: Link
  stats: Stats | undefined
  /** Undefined while loading, null after an error. */
  timeline: Timeline | null | undefined
}

function Totals({ link, stats, timeline }: StatsProps) {
  const { t, number, language } = useText()
  const days =
    timeline &&
    countDays({
      range: timeline.range,
      buckets: timeline.buckets,
      createdAt: link.created_at,
      now: Date.now() / 1000,
    })
  const format = (value: number | undefined) => (value === undefined ? undefined : number(value))
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Stat
        name={t('link.clicks')}
        value={format(stats?.total_clicks)}
        aside={<Delta value={stats?.delta_pct} />}
      />
      <Stat
        name={t('link.average')}
        value={days === null ? '–' : stats && days && formatAverage(stats.total_clicks / days, language)}
      />
      <Visitors stats={stats} />
      <Stat name={t('link.countries')} value={format(stats?.num_countries)} />
    </SimpleGrid>
  )
}

function Visitors({ stats }: { stats: Stats | undefined }) {
  const { t, number } = useText()
  const name = t('link.visitors')
  if (!stats || !hasUnknownVisitors(stats))
    return <Stat name={name} value={stats && number(stats.unique_visitors)} />
  const hint = (
    <Text size="xs" c="dimmed">
      {t('chart.visitorsUnknown')}
    </Text>
  )
  return <Stat name={name} value="–" aside={hint} />
}

function Stat({ name, value, aside }: { name: string; value: ReactNode; aside?: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Group gap="xs" align="baseline" mih={38}>
        {value === undefined ? (
          <Skeleton height={22} width={64} mt={8} />
        ) : (
          <Text fz={24} fw={600} className="figure">
            {value}
          </Text>
        )}
        {aside}
      </Group>
    </Paper>
  )
}

function Clicks({ link, stats, timeline, showAll }: StatsProps & { showAll: () => void }) {
  const { t } = useText()
  const state = useLinkState(link)
  if (!stats || !timeline) return <Skeleton height={340} />
  if (stats.total_clicks === 0 && link.total_clicks === 0) {
    const help = state === 'active' ? { help: t('link.noClicksHelp') } : {}
    return <Notice title={t('link.noClicks')} {...help} />
  }
  if (stats.total_clicks === 0) {
    const action = (
      <Button variant="light" onClick={showAll}>
        {t('link.allTime')}
      </Button>
    )
    return <Notice title={t('link.noClicksInRange')} help={t('link.noClicksInRangeHelp')} action={action} />
  }
  return (
    <Paper withBorder p="md">
      <TimeChart buckets={timeline.buckets} title={t('link.timeline')} note={timeZone} />
    </Paper>
  )
}
