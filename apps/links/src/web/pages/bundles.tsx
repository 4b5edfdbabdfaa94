import { Button, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Range } from '../../analytics/schema.ts'
import { type Input, type Result, callForPage } from '../call.ts'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { RangePicker, asRange } from '../parts/range.tsx'
import { useCall } from '../queries.ts'
import { Failed } from '@latchkey/web/shell/boundary'
import { useText } from '../texts/text.ts'
import { isArchived } from './bundles/actions.tsx'
import { BundleCard } from './bundles/card.tsx'
import { BundleDialog } from './bundles/dialog.tsx'
import { deletionOf, usePending } from './bundles/pending.ts'

const PER_PAGE = 48
const STATES = ['active', 'archived', 'all'] as const
type Shown = (typeof STATES)[number]

const SENT = { active: {}, archived: { archived: 'only' }, all: { archived: 'all' } } as const

function useBundles(shown: Shown, range: Range | undefined) {
  const query: NonNullable<Input<'listBundles'>['query']> = {
    ...SENT[shown],
    ...(range && { range }),
    limit: PER_PAGE,
  }
  return useInfiniteQuery({
    queryKey: ['bundles', 'listBundles', query],
    queryFn: ({ signal, pageParam: cursor }) =>
      callForPage('listBundles', { query: { ...query, ...(cursor && { cursor }) } }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  })
}

export default function Bundles() {
  const [view, setView] = useQueryString({ state: 'active', range: '' })
  const shown = STATES.find((state) => state === view.state) ?? 'active'
  const range = asRange(view.range)
  const bundles = useBundles(shown, range)
  const pending = usePending()
  const rows = (bundles.data?.pages ?? [])
    .flatMap(({ body }) => body)
    .filter((bundle) => !pending.has(deletionOf(bundle.id)))
    .filter((bundle) => shown === 'all' || isArchived(bundle, pending) === (shown === 'archived'))
  const search = range ? `?range=${range}` : ''
  return (
    <Stack gap="lg">
      <Controls
        shown={shown}
        range={range}
        onShown={(state) => setView({ state })}
        onRange={(chosen) => setView({ range: chosen })}
      />
      {bundles.error && !bundles.data && (
        <Failed error={bundles.error} onRetry={() => void bundles.refetch()} />
      )}
      {bundles.isPending && <Skeleton height={320} />}
      {bundles.data && rows.length === 0 && (
        <Empty shown={shown} onShowAll={() => setView({ state: 'all' })} />
      )}
      {rows.length > 0 && <Cards rows={rows} search={search} />}
      {bundles.hasNextPage && (
        <More
          shown={rows.length}
          total={bundles.data?.pages[0]?.total ?? 0}
          loading={bundles.isFetchingNextPage}
          onMore={() => void bundles.fetchNextPage()}
        />
      )}
    </Stack>
  )
}

interface ControlsProps {
  shown: Shown
  range: Range | undefined
  onShown: (shown: Shown) => void
  onRange: (range: Range) => void
}

function Controls({ shown, range, onShown, onRange }: ControlsProps) {
  const { say } = useText()
  const settings = useCall('settings', 'getSettings', {})
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="sm">
        <SegmentedControl
          aria-label={say('bundles.status')}
          size="xs"
          data={STATES.map((value) => ({ value, label: say(`bundles.${value}`) }))}
          value={shown}
          onChange={onShown}
        />
        <RangePicker value={range ?? settings.data?.body.default_range} onChange={onRange} />
      </Group>
      <NewBundle />
    </Group>
  )
}

/** Makes a bundle, and leads to its page: links are added there. */
function NewBundle() {
  const { say } = useText()
  const [, go] = useLocation()
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpened(true)}>
        {say('bundles.new')}
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

interface MoreProps {
  shown: number
  total: number
  loading: boolean
  onMore: () => void
}

function More({ shown, total, loading, onMore }: MoreProps) {
  const { say, number } = useText()
  return (
    <Group justify="center" gap="md">
      <Text size="sm" c="dimmed" className="figure">
        {say('bundles.shown', { shown: number(shown), total: number(total) })}
      </Text>
      <Button variant="default" loading={loading} onClick={onMore}>
        {say('bundles.more')}
      </Button>
    </Group>
  )
}

function Empty({ shown, onShowAll }: { shown: Shown; onShowAll: () => void }) {
  const { say } = useText()
  const any = useCall('bundles', 'listBundles', { query: { archived: 'all', limit: 1 } })
  if (!any.data) return <Skeleton height={240} />
  if (any.data.total === 0)
    return <Notice title={say('bundles.none')} help={say('bundles.noneHelp')} action={<NewBundle />} />
  const all = (
    <Button variant="light" onClick={onShowAll}>
      {say('bundles.showAll')}
    </Button>
  )
  if (shown === 'archived')
    return <Notice title={say('bundles.noneArchived')} help={say('bundles.noneArchivedHelp')} action={all} />
  return <Notice title={say('bundles.noneActive')} help={say('bundles.noneHelp')} action={all} />
}
