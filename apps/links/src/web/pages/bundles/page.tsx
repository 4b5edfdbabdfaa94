import { Alert, Button, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@latchkey/web/icons'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Range } from '../../../analytics/schema.ts'
import { type Input, type Result, callForPage } from '../../call.ts'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { RangePicker, parseRange } from '../../parts/range.tsx'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../../texts/text.ts'
import { isArchived } from './actions.tsx'
import { BundleCard } from './card.tsx'
import { BundleDialog } from './dialog.tsx'
import { bundleDeletionOf, usePending } from '../../parts/pending.ts'

const PER_PAGE = 48
const STATES = ['active', 'archived', 'all'] as const
type BundleFilter = (typeof STATES)[number]

const FILTER_QUERIES = { active: {}, archived: { archived: 'only' }, all: { archived: 'all' } } as const

function useBundles(filter: BundleFilter, range: Range | undefined) {
  const query: NonNullable<Input<'listBundles'>['query']> = {
    ...FILTER_QUERIES[filter],
    ...(range && { range }),
    limit: PER_PAGE,
  }
  return useInfiniteQuery({
    queryKey: ['bundles', 'listBundles', query],
    queryFn: ({ signal, pageParam: cursor }) =>
      callForPage('listBundles', { query: { ...query, ...(cursor && { cursor }) } }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: (previous) => previous,
  })
}

/** The listed bundles. Pending deletions and archivings (L18.4) count as done. */
function useRows(pages: readonly { body: Result<'listBundles'> }[], filter: BundleFilter) {
  const pending = usePending()
  return pages
    .flatMap(({ body }) => body)
    .filter((bundle) => !pending.has(bundleDeletionOf(bundle.id)))
    .filter((bundle) => filter === 'all' || isArchived(bundle, pending) === (filter === 'archived'))
}

/** The result of the previous query may have no row that matches the current filter. */
const isWaiting = ({ isPending, isPlaceholderData }: ReturnType<typeof useBundles>, rows: number) =>
  isPending || (isPlaceholderData && rows === 0)

/** Number of bundles in any state. Read only while `enabled`. */
function useTotal(enabled: boolean) {
  return useCall('bundles', 'listBundles', { query: { archived: 'all', limit: 1 } }, enabled)
}

/** Without any bundle, the button to create one is in the notice that explains bundles. */
const mayHaveBundles = ({ data, isLoadingError }: ReturnType<typeof useTotal>) =>
  isLoadingError || (data?.total ?? 0) > 0

export default function Bundles() {
  const [view, setView] = useQueryString({ state: 'active', range: '' })
  const filter = STATES.find((state) => state === view.state) ?? 'active'
  const range = parseRange(view.range)
  const bundles = useBundles(filter, range)
  const rows = useRows(bundles.data?.pages ?? [], filter)
  const search = range ? `?range=${range}` : ''
  const isLoading = isWaiting(bundles, rows.length)
  const isEmpty = bundles.data !== undefined && !isLoading && rows.length === 0
  const total = useTotal(isEmpty)
  return (
    <Stack gap="lg">
      <Controls
        mayCreate={!isEmpty || mayHaveBundles(total)}
        filter={filter}
        range={range}
        onFilter={(state) => setView({ state })}
        onRange={(next) => setView({ range: next })}
      />
      {bundles.error && !bundles.data && (
        <ErrorNotice error={bundles.error} onRetry={() => void bundles.refetch()} />
      )}
      {isLoading && <Skeleton height={320} />}
      {isEmpty && <Empty filter={filter} total={total} onShowAll={() => setView({ state: 'all' })} />}
      {rows.length > 0 && <Cards rows={rows} search={search} />}
      {bundles.hasNextPage && <LoadMore count={rows.length} bundles={bundles} />}
    </Stack>
  )
}

interface ControlsProps {
  mayCreate: boolean
  filter: BundleFilter
  range: Range | undefined
  onFilter: (filter: BundleFilter) => void
  onRange: (range: Range) => void
}

function Controls({ mayCreate, filter, range, onFilter, onRange }: ControlsProps) {
  const { t } = useText()
  const settings = useCall('settings', 'getSettings', {})
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="sm">
        <SegmentedControl
          aria-label={t('bundles.status')}
          size="xs"
          data={STATES.map((value) => ({ value, label: t(`bundles.${value}`) }))}
          value={filter}
          onChange={onFilter}
        />
        <RangePicker value={range ?? settings.data?.body.default_range} onChange={onRange} />
      </Group>
      {mayCreate && <NewBundleButton />}
    </Group>
  )
}

/** Creates a bundle and opens its page, where links are added. */
function NewBundleButton() {
  const { t } = useText()
  const [, go] = useLocation()
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpened(true)}>
        {t('bundles.new')}
      </Button>
      <BundleDialog
        opened={opened}
        onClose={() => setOpened(false)}
        onSaved={({ id }) => go(`/bundles/${id}`)}
      />
    </>
  )
}

function Cards({ rows, search }: { rows: Result<'listBundles'>; search: string }) {
  return (
    <SimpleGrid
      component="ul"
      type="container"
      cols={{ base: 1, '620px': 2, '940px': 3 }}
      spacing="md"
      m={0}
      p={0}
      style={{ listStyle: 'none' }}
    >
      {rows.map((bundle) => (
        <BundleCard key={bundle.id} bundle={bundle} search={search} />
      ))}
    </SimpleGrid>
  )
}

function LoadMore({ count, bundles }: { count: number; bundles: ReturnType<typeof useBundles> }) {
  const { t, number, failure } = useText()
  return (
    <Group justify="center" gap="md">
      {bundles.isFetchNextPageError && (
        <Alert color="red" role="alert" w="100%">
          {failure(bundles.error)}
        </Alert>
      )}
      <Text size="sm" c="dimmed" className="figure">
        {t('bundles.shown', { loaded: number(count), total: number(bundles.data?.pages[0]?.total ?? 0) })}
      </Text>
      <Button
        variant="default"
        loading={bundles.isFetchingNextPage}
        onClick={() => void bundles.fetchNextPage()}
      >
        {t('bundles.more')}
      </Button>
    </Group>
  )
}

interface EmptyProps {
  filter: BundleFilter
  /** Number of bundles in any state. */
  total: ReturnType<typeof useTotal>
  onShowAll: () => void
}

function Empty({ filter, total, onShowAll }: EmptyProps) {
  const { t } = useText()
  if (total.isLoadingError) return <ErrorNotice error={total.error} onRetry={() => void total.refetch()} />
  if (!total.data) return <Skeleton height={240} />
  if (total.data.total === 0)
    return <Notice title={t('bundles.none')} help={t('bundles.noneHelp')} action={<NewBundleButton />} />
  const all = (
    <Button variant="light" onClick={onShowAll}>
      {t('bundles.showAll')}
    </Button>
  )
  if (filter === 'archived')
    return <Notice title={t('bundles.noneArchived')} help={t('bundles.noneArchivedHelp')} action={all} />
  return <Notice title={t('bundles.noneActive')} help={t('bundles.noneHelp')} action={all} />
}
