import { Button, Skeleton, Stack } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { Notice } from '@latchkey/web/parts/notice'
import { Explorer } from '../../analytics/explorer.tsx'
import { useAnalyticsView } from '../../analytics/use-view.ts'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../../texts/text.ts'
import { BundleHeader } from './header.tsx'
import { Members } from './members.tsx'
import { bundleDeletionOf, usePending } from '../../parts/pending.ts'
import type { Stats } from './types.ts'

export default function BundleDetail({ id }: { id: number }) {
  const [, go] = useLocation()
  const { view } = useAnalyticsView()
  const stats = useCall('bundles', 'getBundleAnalytics', {
    params: { id },
    ...(view.range && { query: { range: view.range } }),
  })
  const pending = usePending()
  const isGone = stats.error instanceof CallError && stats.error.status === 404
  const missingReason = pending.has(bundleDeletionOf(id)) ? 'isDeleting' : isGone ? 'gone' : undefined
  const data = missingReason ? undefined : stats.data?.body
  return (
    <Stack gap="lg">
      <BundleHeader stats={data} onDeleted={() => go('/bundles')} />
      {data && (
        <StatsContent stats={data} hasClicks={view.window === undefined && view.filters.length === 0} />
      )}
      {missingReason && <Missing reason={missingReason} />}
      {stats.isLoadingError && !isGone && (
        <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />
      )}
      {stats.isPending && <Skeleton height={420} />}
    </Stack>
  )
}

function StatsContent({ stats, hasClicks }: { stats: Stats; hasClicks: boolean }) {
  const members = <Members stats={stats} hasClicks={hasClicks} />
  if (stats.link_count === 0) return members
  return <Explorer subject={{ dimension: 'bundle', value: String(stats.bundle.id) }}>{members}</Explorer>
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
