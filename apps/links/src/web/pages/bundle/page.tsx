import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { Range } from '../../../analytics/schema.ts'
import { CallError } from '@latchkey/web/call'
import type { Result } from '../../call.ts'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { RangePicker, parseRange } from '../../parts/range.tsx'
import { StaleContent } from '../../parts/stale-content.tsx'
import { timeZone } from '../../parts/time-zone.ts'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../../texts/text.ts'
import { BundleTotals, VisitorBreakdowns } from './stats.tsx'
import { BundleHeader } from './header.tsx'
import { Members } from './members.tsx'
import { bundleDeletionOf, usePending } from '../../parts/pending.ts'

export type Stats = Result<'getBundleAnalytics'>

export default function BundleDetail({ id }: { id: number }) {
  const [, go] = useLocation()
  const [view, setView] = useQueryString({ range: '' })
  const range = parseRange(view.range)
  const stats = useCall('bundles', 'getBundleAnalytics', {
    params: { id },
    query: { tz: timeZone, ...(range && { range }) },
  })
  const pending = usePending()
  const isGone = stats.error instanceof CallError && stats.error.status === 404
  const missingReason = pending.has(bundleDeletionOf(id)) ? 'isDeleting' : isGone ? 'gone' : undefined
  const data = missingReason ? undefined : stats.data?.body
  return (
    <Stack gap="lg">
      <BundleHeader stats={data} onDeleted={() => go('/bundles')} />
      {!missingReason && (
        <Group>
          <RangePicker value={range ?? data?.timeline.range} onChange={(next) => setView({ range: next })} />
        </Group>
      )}
      {data && (
        <StaleContent isStale={stats.isPlaceholderData}>
          <StatsContent stats={data} range={range} />
        </StaleContent>
      )}
      {missingReason && <Missing reason={missingReason} />}
      {stats.isLoadingError && !isGone && (
        <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />
      )}
      {stats.isPending && <Skeleton height={420} />}
    </Stack>
  )
}

function StatsContent({ stats, range }: { stats: Stats; range: Range | undefined }) {
  return (
    <>
      {stats.link_count > 0 && <BundleTotals stats={stats} />}
      <Members stats={stats} />
      {stats.total_clicks > 0 && <VisitorBreakdowns stats={stats} range={range} />}
    </>
  )
}

function Missing({ reason }: { reason: 'isDeleting' | 'gone' }) {
  const { t } = useText()
  const action = (
    <Button component={Link} href="/bundles">
      {t('bundles.toList')}
    </Button>
  )
  return <Notice title={t(`bundles.${reason}`)} help={t(`bundles.${reason}Help`)} action={action} />
}
