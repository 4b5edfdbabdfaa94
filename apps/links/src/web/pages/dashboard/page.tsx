import { Group, Paper, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import type { Result } from '../../call.ts'
import { TimeChart } from '../../parts/chart.tsx'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { RangePicker, parseRange } from '../../parts/range.tsx'
import { StaleContent } from '../../parts/stale-content.tsx'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../../texts/text.ts'
import { labelBuckets } from './buckets.ts'
import { Cards } from './cards.tsx'
import { Lists } from './lists.tsx'
import { SmartInput } from './smart-input.tsx'

export default function Dashboard() {
  const [view, setView] = useQueryString({ range: '' })
  const selectedRange = parseRange(view.range)
  // Without a range, the server uses the user's default and returns it.
  const stats = useCall('totals', 'getDashboard', {
    query: selectedRange === undefined ? {} : { range: selectedRange },
  })
  const body = stats.data?.body
  return (
    <Stack gap="md">
      <SmartInput />
      <Group>
        <RangePicker value={selectedRange ?? body?.range} onChange={(range) => setView({ range })} />
      </Group>
      {stats.error && !body && <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />}
      {stats.isPending && <LoadingSkeleton />}
      {stats.data && (
        <StaleContent isStale={stats.isPlaceholderData}>
          <DashboardStats stats={stats.data.body} at={stats.data.at} />
        </StaleContent>
      )}
    </Stack>
  )
}

function DashboardStats({ stats, at }: { stats: Result<'getDashboard'>; at: Date }) {
  const { t } = useText()
  if (stats.recent_links.length === 0) return <Notice title={t('links.none')} help={t('links.noneHelp')} />
  return (
    <>
      <Cards stats={stats} />
      <Paper withBorder p="md" component="section">
        <TimeChart
          title={t('dashboard.overTime')}
          note={t('dashboard.utc')}
          buckets={labelBuckets(stats.timeline, stats.range, at)}
        />
      </Paper>
      <Lists stats={stats} />
    </>
  )
}

/** As high as the loaded content, to avoid a layout shift. */
function LoadingSkeleton() {
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', sm: 'md' }}>
        {['clicks', 'perDay', 'clickedLinks', 'links'].map((name) => (
          <Skeleton key={name} height={116} />
        ))}
      </SimpleGrid>
      <Skeleton height={336} />
    </>
  )
}
