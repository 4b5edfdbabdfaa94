import { Alert, Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@latchkey/web/icons'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { type Input, type Result, callForPage, embeddedForPage } from '../../call.ts'
import { Notice } from '@latchkey/web/parts/notice'
import { embeddedPages } from '@latchkey/web/queries'
import { useQueryString } from '@latchkey/web/query-string'
import { parseRange } from '../../parts/range.tsx'
import { StaleContent } from '../../parts/stale-content.tsx'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../../texts/text.ts'
import { isArchived } from './actions.tsx'
import { BundleCard } from './card.tsx'
import { Controls, DEFAULT_VIEW, STATES, type View, sortOf } from './controls.tsx'
import { BundleDialog } from './dialog.tsx'
import { BundleTable } from './table.tsx'
import { bundleDeletionOf, usePending } from '../../parts/pending.ts'

const PER_PAGE = 48
type BundleFilter = (typeof STATES)[number]

const FILTER_QUERIES = { active: {}, archived: { archived: 'only' }, all: { archived: 'all' } } as const

type Query = NonNullable<Input<'listBundles'>['query']>
type PageParameter = Pick<Query, 'cursor' | 'page'>

function useBundles(view: View) {
  const range = parseRange(view.range)
  const query: Query = {
    ...FILTER_QUERIES[filterOf(view)],
    ...(range && { range }),
    ...(view.search !== '' && { search: view.search }),
    sort: sortOf(view),
    limit: PER_PAGE,
  }
  return useInfiniteQuery({
    queryKey: ['bundles', 'listBundles', query],
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: PageParameter }) =>
      callForPage('listBundles', { query: { ...query, ...pageParam } }, { signal }),
    ...embeddedPages(() => embeddedForPage('listBundles', { query }), {}),
    initialPageParam: {},
    getNextPageParam({ next, page, total }): PageParameter | undefined {
      if (next !== undefined) return { cursor: next }
      return query.sort !== 'created' && page * PER_PAGE < total ? { page: page + 1 } : undefined
    },
    placeholderData: (previous) => previous,
  })
}

const filterOf = (view: View): BundleFilter => STATES.find((state) => state === view.state) ?? 'active'

/**
 * The listed bundles, each once: numbered pages shift when one is added. Pending deletions and
 * archivings (L18.4) count as done.
 */
function useRows(pages: readonly { body: Result<'listBundles'> }[], filter: BundleFilter) {
  const pending = usePending()
  const bundles = new Map(pages.flatMap(({ body }) => body.map((bundle) => [bundle.id, bundle] as const)))
  return [...bundles.values()]
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
const mayHaveBundles = ({ search }: View, { data, isLoadingError }: ReturnType<typeof useTotal>) =>
  search !== '' || isLoadingError || (data?.total ?? 0) > 0

export default function Bundles() {
  const [view, setView] = useQueryString(DEFAULT_VIEW)
  const bundles = useBundles(view)
  const rows = useRows(bundles.data?.pages ?? [], filterOf(view))
  const isLoading = isWaiting(bundles, rows.length)
  const isEmpty = bundles.data !== undefined && !isLoading && rows.length === 0
  const total = useTotal(isEmpty && view.search === '')
  return (
    <Stack gap="lg">
      <Controls view={view} change={setView}>
        {(!isEmpty || mayHaveBundles(view, total)) && <NewBundleButton />}
      </Controls>
      {bundles.error && !bundles.data && (
        <ErrorNotice error={bundles.error} onRetry={() => void bundles.refetch()} />
      )}
      {isLoading && <Skeleton height={320} />}
      {isEmpty && <Empty view={view} total={total} change={setView} />}
      {rows.length > 0 && (
        <StaleContent isStale={bundles.isPlaceholderData}>
          <Rows view={view} rows={rows} />
        </StaleContent>
      )}
      {bundles.hasNextPage && <LoadMore count={rows.length} bundles={bundles} />}
    </Stack>
  )
}

function Rows({ view, rows }: { view: View; rows: Result<'listBundles'> }) {
  const range = parseRange(view.range)
  const List = view.view === 'list' ? BundleTable : Cards
  return <List rows={rows} search={range ? `?range=${range}` : ''} />
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
  view: View
  /** Number of bundles in any state. */
  total: ReturnType<typeof useTotal>
  change: (changes: Partial<View>) => void
}

function Empty({ view, total, change }: EmptyProps) {
  const { t } = useText()
  if (view.search !== '') {
    const clear = (
      <Button variant="light" onClick={() => change({ search: '' })}>
        {t('bundles.clearSearch')}
      </Button>
    )
    return <Notice title={t('bundles.noMatch')} action={clear} />
  }
  if (total.isLoadingError) return <ErrorNotice error={total.error} onRetry={() => void total.refetch()} />
  if (!total.data) return <Skeleton height={240} />
  if (total.data.total === 0)
    return <Notice title={t('bundles.none')} help={t('bundles.noneHelp')} action={<NewBundleButton />} />
  const all = (
    <Button variant="light" onClick={() => change({ state: 'all' })}>
      {t('bundles.showAll')}
    </Button>
  )
  if (filterOf(view) === 'archived')
    return <Notice title={t('bundles.noneArchived')} help={t('bundles.noneArchivedHelp')} action={all} />
  return <Notice title={t('bundles.noneActive')} help={t('bundles.noneHelp')} action={all} />
}
