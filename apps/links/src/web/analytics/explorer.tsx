import { getTimeZone, momentFormat } from '@latchkey/web/formats'
import { Button, Paper, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Result } from '../call.ts'
import { TimeChart } from '../parts/chart.tsx'
import { StaleContent } from '../parts/stale-content.tsx'
import { zoneName } from '../parts/time-zone.ts'
import { useText } from '../texts/text.ts'
import { FilterChips } from './chips.tsx'
import { Metrics } from './metrics.tsx'
import { Panels } from './panels.tsx'
import { ReadState } from './progress.tsx'
import { Toolbar } from './toolbar.tsx'
import { type Subject, useAnalytics } from './use-analytics.ts'
import { type ViewControls, useAnalyticsView } from './use-view.ts'

type Stats = Result<'getAnalytics'>

interface Props {
  /** The link or bundle of the page. */
  subject?: Subject
  /** Shown instead of the statistics if there were never any clicks. */
  empty?: ReactNode
  /** Content below the chart, also without statistics. */
  children?: ReactNode
  /** A further panel beside the breakdowns, also without statistics. */
  panel?: ReactNode
}

/** Statistics with their filters, all of which are in the address. */
export function Explorer({ subject, empty, children, panel }: Props) {
  const controls = useAnalyticsView()
  const { view, change } = controls
  const read = useAnalytics(view, subject)
  const { stats, isMissing } = read
  const hasClicks = !isMissing && (!stats || stats.totals.clicks > 0)
  return (
    <Stack gap="md">
      <Toolbar view={view} change={change} range={stats?.window.range} subject={subject} />
      <FilterChips {...controls} stats={stats} />
      <ReadState {...read} />
      {stats && <PartialNotice stats={stats} />}
      <StaleContent isStale={read.isStale}>
        {!isMissing && (
          <Paper withBorder component="section">
            <Metrics stats={stats} subject={subject} />
            {hasClicks && <Chart stats={stats} change={change} />}
            {!hasClicks && !empty && <NoClicks view={view} change={change} />}
          </Paper>
        )}
        {!isMissing && !hasClicks && empty}
        {children}
        {hasClicks ? (
          <Panels {...controls} stats={stats} subject={subject}>
            {panel}
          </Panels>
        ) : (
          panel
        )}
      </StaleContent>
    </Stack>
  )
}

/** Takes the place of the chart, and offers to show more. */
function NoClicks({ view, change }: Pick<ViewControls, 'view' | 'change'>) {
  const { t } = useText()
  const isFiltered = view.filters.length > 0
  const hasMore = isFiltered || view.range !== 'all'
  const showMore = () => change(isFiltered ? { filters: [] } : { range: 'all', window: undefined })
  return (
    <div className="explorer-empty">
      <Text size="sm" c="dimmed">
        {t('chart.none')}
      </Text>
      {hasMore && (
        <Button size="compact-sm" variant="light" onClick={showMore}>
          {t(isFiltered ? 'analytics.clear' : 'link.allTime')}
        </Button>
      )}
    </div>
  )
}

/** Says which numbers do not cover the whole window, because raw clicks are deleted with time. */
function PartialNotice({ stats: { raw_since: since, filtered } }: { stats: Stats }) {
  const { t, day } = useText()
  if (since === null) return null
  return (
    <Text size="sm" c="dimmed">
      {t(filtered ? 'analytics.rawSince' : 'analytics.visitorsSince', { day: day(since) })}
    </Text>
  )
}

const CHART_HEIGHT = 323
/** Seconds within which a window that ended now ends. Statistics may be shown for a while. */
const CURRENT_SECONDS = 3600

function Chart({ stats, change }: { stats: Stats | undefined } & Pick<ViewControls, 'change'>) {
  const { t } = useText()
  if (!stats) return <Skeleton height={CHART_HEIGHT} radius={0} />
  const { window, timeline } = stats
  const { buckets } = timeline
  return (
    <div className="explorer-chart">
      <TimeChart
        timeline={timeline}
        title={t('analytics.overTime')}
        note={<ChartNote stats={stats} />}
        isCurrent={window.range !== null || Date.now() / 1000 - window.to < CURRENT_SECONDS}
        onSelect={(first, last) => {
          const from = buckets[first]?.start ?? window.from
          const to = (buckets[last + 1]?.start ?? window.to + 1) - 1
          change({ window: { from, to } })
        }}
      />
    </div>
  )
}

/** The time zone of the chart, and the meaning of its dashed line. */
function ChartNote({ stats: { window, comparison_window: compared } }: { stats: Stats }) {
  const { t, language } = useText()
  const format = momentFormat(language, { dateStyle: 'medium' })
  return (
    <>
      <span title={getTimeZone()}>{zoneName(language, window.to)}</span>
      {compared && (
        <>
          {' · '}
          <span className="legend-comparison" aria-hidden />{' '}
          {t('analytics.comparedWith', {
            window: format.formatRange(compared.from * 1000, compared.to * 1000),
          })}
        </>
      )}
    </>
  )
}
