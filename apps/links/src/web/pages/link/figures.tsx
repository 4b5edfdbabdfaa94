import { Button, Grid, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Range } from '../../../analytics/schema.ts'
import type { Result } from '../../call.ts'
import { TimeChart } from '../../parts/chart.tsx'
import { Delta } from '../../parts/delta.tsx'
import { Access, Channels, Lists } from '../../parts/lists.tsx'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { RangePicker, asRange } from '../../parts/range.tsx'
import { Earlier } from '../../parts/earlier.tsx'
import { areVisitorsUnknown } from '../../parts/visitors.ts'
import { timeZone } from '../../parts/zone.ts'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../../texts/text.ts'
import { daysOf, wordAverage } from './average.ts'
import type { Deeds } from './head.tsx'
import type { Link } from './link.ts'
import { Slugs } from './slugs.tsx'
import { useLinkState } from './state.ts'

type Timeline = Result<'getLinkTimeline'>

/** What was asked for; undefined while it is awaited, null where it could not be had. */
function shownOf<Body>({
  data,
  isLoadingError,
}: {
  data?: { body: Body } | undefined
  isLoadingError: boolean
}) {
  return data?.body ?? (isLoadingError ? null : undefined)
}

function useFigures(id: number, range: Range | undefined) {
  const query = range ? { range } : {}
  const params = { id }
  const analytics = useCall('links', 'getLinkAnalytics', { params, query })
  const timeline = useCall('links', 'getLinkTimeline', { params, query: { ...query, tz: timeZone } })
  return {
    stats: shownOf(analytics),
    timeline: shownOf(timeline),
    error: analytics.error ?? timeline.error,
    isStale: analytics.isPlaceholderData || timeline.isPlaceholderData,
    again: () => void Promise.all([analytics.refetch(), timeline.refetch()]),
  }
}

/** Everything that was counted, in the range of the page's address; without one there, in the person's own. */
export function Figures(deeds: Deeds) {
  const { t } = useText()
  const { link } = deeds
  const [view, setView] = useQueryString({ range: '' })
  const range = asRange(view.range)
  const { stats, timeline, error, isStale, again } = useFigures(link.id, range)
  const choose = (chosen: string) => setView({ range: chosen })
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Title order={2}>{t('link.figures')}</Title>
        <RangePicker value={range ?? timeline?.range} onChange={choose} />
      </Group>
      <Earlier is={isStale}>
        {stats !== null && <Totals link={link} stats={stats} timeline={timeline} />}
        {stats === null || timeline === null ? (
          <ErrorNotice error={error} onRetry={again} />
        ) : (
          <Clicks link={link} stats={stats} timeline={timeline} showAll={() => choose('all')} />
        )}
        <Ways stats={stats} range={range} deeds={deeds} />
        {stats && stats.total_clicks > 0 && <Lists id={link.id} range={range} stats={stats} />}
      </Earlier>
    </Stack>
  )
}

type Stats = Result<'getLinkAnalytics'>

interface WaysProps {
  stats: Stats | null | undefined
  range: Range | undefined
  deeds: Deeds
}

/** By which slugs and how the link was reached. Slugs are there also without figures: things are done to them. */
function Ways({ stats, range, deeds }: WaysProps) {
  const counts = stats ? new Map(stats.slug_clicks.map(({ slug, count }) => [slug, count])) : undefined
  return (
    <Grid gap="md" align="stretch">
      <Grid.Col span={{ base: 12, lg: stats === null ? 12 : 8 }}>
        <Slugs counts={counts} {...deeds} />
      </Grid.Col>
      {stats !== null && (
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md" h="100%">
            <Access stats={stats} />
            <Channels id={deeds.link.id} range={range} stats={stats} />
          </Stack>
        </Grid.Col>
      )}
    </Grid>
  )
}

interface Counted {
  link: Link
  stats: Stats | undefined
  /** Null where it could not be had. */
  timeline: Timeline | null | undefined
}

function Totals({ link, stats, timeline }: Counted) {
  const { t, number, language } = useText()
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
        name={t('link.clicks')}
        value={figure(stats?.total_clicks)}
        beside={<Delta value={stats?.delta_pct} />}
      />
      <Figure
        name={t('link.average')}
        value={days === null ? '–' : stats && days && wordAverage(stats.total_clicks / days, language)}
      />
      <Visitors stats={stats} />
      <Figure name={t('link.countries')} value={figure(stats?.num_countries)} />
    </SimpleGrid>
  )
}

function Visitors({ stats }: { stats: Stats | undefined }) {
  const { t, number } = useText()
  const name = t('link.visitors')
  if (!stats || !areVisitorsUnknown(stats))
    return <Figure name={name} value={stats && number(stats.unique_visitors)} />
  const why = (
    <Text size="xs" c="dimmed">
      {t('figures.visitorsUnknown')}
    </Text>
  )
  return <Figure name={name} value="–" beside={why} />
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
