import {
  Button,
  Group,
  Pagination,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@latchkey/web/icons'
import { useRef, useState } from 'react'
import type { Input } from '../../call.ts'
import { Notice } from '@latchkey/web/parts/notice'
import { RangePicker, parseRange } from '../../parts/range.tsx'
import { StaleContent } from '../../parts/stale-content.tsx'
import { useQueryString } from '@latchkey/web/query-string'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { type Translate, useText } from '../../texts/text.ts'
import { CreateRow } from './create-row.tsx'
import { LinkTable } from './link-table.tsx'

const DEFAULTS = { search: '', status: 'all', sort: 'created', range: 'all', page: '1', per_page: '25' }

type View = typeof DEFAULTS
type Change = (changes: Partial<View>, options?: { isTyping: boolean }) => void

function queryOf({ page, per_page, range, ...view }: View): NonNullable<Input<'listLinks'>['query']> {
  const window = range === 'all' ? {} : { range }
  // The server validates values that a user typed into the address.
  return { ...view, ...window, page: Number(page), per_page: Number(per_page) } as NonNullable<
    Input<'listLinks'>['query']
  >
}

export default function Links() {
  const [view, setView] = useQueryString(DEFAULTS)
  const change: Change = (changes, options) => setView({ page: '1', ...changes }, options)
  const links = useCall('links', 'listLinks', { query: queryOf(view) })
  const isEmpty = links.data?.body.length === 0
  // An empty result of the previous query does not apply to the current one.
  const isLoading = links.isPending || (links.isPlaceholderData && isEmpty)
  return (
    <Stack gap="lg">
      <CreateRow />
      <Filters view={view} change={change} />
      <ResultCount total={isLoading ? undefined : links.data?.total} />
      {links.error && !links.data && <ErrorNotice error={links.error} onRetry={() => void links.refetch()} />}
      {isLoading && <Skeleton height={320} />}
      {isEmpty && !isLoading && <Empty view={view} change={change} />}
      <StaleContent isStale={links.isPlaceholderData}>
        <LinkTable links={links.data?.body ?? []} />
        {links.data && !isEmpty && (
          <Pages view={view} change={change} total={links.data.total} page={links.data.page} />
        )}
      </StaleContent>
    </Stack>
  )
}

function filterOptions(t: Translate) {
  return {
    status: (['all', 'active', 'disabled', 'expired'] as const).map((value) => ({
      value,
      label: t(`links.${value}`),
    })),
    sort: [
      { value: 'created', label: t('links.recent') },
      { value: 'clicks', label: t('links.popular') },
    ],
  }
}

function Filters({ view, change }: { view: View; change: Change }) {
  const { t } = useText()
  const [text, setText] = useState(view.search)
  const lastSearch = useRef(view.search)
  const search = useDebouncedCallback((value: string) => {
    lastSearch.current = value
    change({ search: value }, { isTyping: true })
  }, 250)
  // The search changed without typing: it was cleared, or set by the command palette.
  if (view.search !== lastSearch.current) {
    lastSearch.current = view.search
    setText(view.search)
  }
  const { status, sort } = filterOptions(t)
  return (
    <Stack gap="sm">
      <TextInput
        aria-label={t('links.search')}
        placeholder={t('links.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          search(currentTarget.value)
        }}
      />
      <Group gap="sm">
        <SegmentedControl
          aria-label={t('links.status')}
          size="xs"
          data={status}
          value={view.status}
          onChange={(value) => change({ status: value })}
        />
        <SegmentedControl
          aria-label={t('links.sort')}
          size="xs"
          data={sort}
          value={view.sort}
          onChange={(value) => change({ sort: value })}
        />
        <RangePicker value={parseRange(view.range)} onChange={(range) => change({ range })} />
      </Group>
    </Stack>
  )
}

/** Number of results, for screen readers. */
function ResultCount({ total }: { total: number | undefined }) {
  const { t } = useText()
  const text =
    total === 0 ? t('links.noneFound') : total !== undefined && t('bundles.links', { count: total })
  return <VisuallyHidden role="status">{text}</VisuallyHidden>
}

function Empty({ view, change }: { view: View; change: Change }) {
  const { t } = useText()
  const isFiltered = view.search !== '' || view.status !== 'all'
  if (!isFiltered) return <Notice title={t('links.none')} help={t('links.noneHelp')} />
  const clear = (
    <Button variant="light" onClick={() => change({ search: '', status: 'all' })}>
      {t('links.clear')}
    </Button>
  )
  return <Notice title={t('links.noneFound')} help={t('links.noneFoundHelp')} action={clear} />
}

function Pages({ view, change, total, page }: { view: View; change: Change; total: number; page: number }) {
  const { t, number } = useText()
  const size = Number(view.per_page) || 25
  const from = (page - 1) * size + 1
  const values = { from: number(from), to: number(Math.min(total, from + size - 1)), total: number(total) }
  return (
    <Group justify="space-between">
      <Group gap="sm">
        <Select
          aria-label={t('links.perPage')}
          w={80}
          size="xs"
          allowDeselect={false}
          data={['25', '50', '100']}
          value={view.per_page}
          onChange={(value) => value !== null && change({ per_page: value })}
        />
        <Text size="sm" c="dimmed" className="figure">
          {t('links.fromTo', values)}
        </Text>
      </Group>
      {total > size && (
        <Pagination
          aria-label={t('links.pages')}
          size="sm"
          total={Math.ceil(total / size)}
          value={page}
          onChange={(value) => change({ page: String(value) })}
          getControlProps={(control) => ({
            'aria-label': t(control === 'previous' ? 'links.previousPage' : 'links.nextPage'),
          })}
          getItemProps={(item) => ({ 'aria-label': number(item) })}
        />
      )}
    </Group>
  )
}
