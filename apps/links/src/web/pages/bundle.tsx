import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { Range } from '../../analytics/schema.ts'
import { CallError } from '@latchkey/web/call'
import type { Result } from '../call.ts'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { RangePicker, asRange } from '../parts/range.tsx'
import { Earlier } from '../parts/earlier.tsx'
import { timeZone } from '../parts/zone.ts'
import { useCall } from '../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../texts/text.ts'
import { Figures, Who } from './bundle/figures.tsx'
import { BundleHeader } from './bundle/header.tsx'
import { Members } from './bundle/members.tsx'
import { deletionOf, usePending } from '../parts/pending.ts'

export type Stats = Result<'getBundleAnalytics'>

export default function BundleDetail({ id }: { id: number }) {
  const [, go] = useLocation()
  const [view, setView] = useQueryString({ range: '' })
  const range = asRange(view.range)
  const stats = useCall('bundles', 'getBundleAnalytics', {
    params: { id },
    query: { tz: timeZone, ...(range && { range }) },
  })
  const pending = usePending()
  const isGone = stats.error instanceof CallError && stats.error.status === 404
  const missing = pending.has(deletionOf(id)) ? 'leaving' : isGone ? 'gone' : undefined
  const data = missing ? undefined : stats.data?.body
  return (
    <Stack gap="lg">
      <BundleHeader stats={data} onDeleted={() => go('/bundles')} />
      {!missing && (
        <Group>
          <RangePicker
            value={range ?? data?.timeline.range}
            onChange={(chosen) => setView({ range: chosen })}
          />
        </Group>
      )}
      {data && (
        <Earlier is={stats.isPlaceholderData}>
          <Content stats={data} range={range} />
        </Earlier>
      )}
      {missing && <Missing how={missing} />}
      {stats.isLoadingError && !isGone && (
        <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />
      )}
      {stats.isPending && <Skeleton height={420} />}
    </Stack>
  )
}

function Content({ stats, range }: { stats: Stats; range: Range | undefined }) {
  return (
    <>
      {stats.link_count > 0 && <Figures stats={stats} />}
      <Members stats={stats} />
      {stats.total_clicks > 0 && <Who stats={stats} range={range} />}
    </>
  )
}

function Missing({ how }: { how: 'leaving' | 'gone' }) {
  const { t } = useText()
  const action = (
    <Button component={Link} href="/bundles">
      {t('bundles.toList')}
    </Button>
  )
  return <Notice title={t(`bundles.${how}`)} help={t(`bundles.${how}Help`)} action={action} />
}
