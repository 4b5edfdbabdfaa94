import { Group, Paper, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import type { Result } from '../call.ts'
import { TimeChart } from '../parts/chart.tsx'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { RangePicker, asRange } from '../parts/range.tsx'
import { Earlier } from '../parts/earlier.tsx'
import { useCall } from '../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../texts/text.ts'
import { labelled } from './dashboard/buckets.ts'
import { Cards } from './dashboard/cards.tsx'
import { Lists } from './dashboard/lists.tsx'
import { SmartInput } from './dashboard/smart-input.tsx'

export default function Dashboard() {
  const [view, setView] = useQueryString({ range: '' })
  const chosen = asRange(view.range)
  // Without a range the server takes the person's own, and says which that is.
  const stats = useCall('totals', 'getDashboard', { query: chosen === undefined ? {} : { range: chosen } })
  const shown = stats.data?.body
  return (
    <Stack gap="md">
      <SmartInput />
      <Group>
        <RangePicker value={chosen ?? shown?.range} onChange={(range) => setView({ range })} />
      </Group>
      {stats.error && !shown && <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />}
      {stats.isPending && <Waiting />}
      {stats.data && (
        <Earlier is={stats.isPlaceholderData}>
          <Figures stats={stats.data.body} at={stats.data.at} />
        </Earlier>
      )}
    </Stack>
  )
}

function Figures({ stats, at }: { stats: Result<'getDashboard'>; at: Date }) {
  const { t } = useText()
  if (stats.recent_links.length === 0) return <Notice title={t('links.none')} help={t('links.noneHelp')} />
  return (
    <>
      <Cards stats={stats} />
      <Paper withBorder p="md" component="section">
        <TimeChart
          title={t('dashboard.overTime')}
          note={t('dashboard.utc')}
          buckets={labelled(stats.timeline, stats.range, at)}
        />
      </Paper>
      <Lists stats={stats} />
    </>
  )
}

/** As high as what comes, so that nothing moves when it does. */
function Waiting() {
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
