import { Button, Group, NativeSelect, Pagination, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { openCreateDialog } from '../../link-dialogs/state.ts'
import { StaleContent } from '../../parts/stale-content.tsx'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { Filters } from './filters.tsx'
import { LinkTable } from './link-table.tsx'
import { CLEARED, type Change, DEFAULT_VIEW, type View, isFiltered, queryOf } from './view.ts'

const NO_LINKS = { body: [], total: 0 }
const PAGE_SIZES = ['25', '50', '100']

export default function Links() {
  const [view, setView] = useQueryString(DEFAULT_VIEW)
  const change: Change = (changes, options) => setView({ page: '1', ...changes }, options)
  const links = useCall('links', 'listLinks', { query: queryOf(view) })
  const { body, total } = links.data ?? NO_LINKS
  const isEmpty = links.data?.body.length === 0
  // An empty result of the previous query does not apply to the current one.
  const isLoading = links.isPending || (links.isPlaceholderData && isEmpty)
  return (
    <Stack gap="md">
      <Filters view={view} change={change} />
      <ResultCount total={isLoading ? undefined : links.data?.total} />
      {links.error && !links.data && <ErrorNotice error={links.error} onRetry={() => void links.refetch()} />}
      {isLoading && <LoadingRows />}
      {isEmpty && !isLoading && <Empty view={view} change={change} />}
      <StaleContent isStale={links.isPlaceholderData}>
        <LinkTable
          links={body}
          search={view.search}
          view={view}
          total={total}
          sorting={{ by: view.sort, order: view.order, change: (sort, order) => change({ sort, order }) }}
        />
        {links.data && !isEmpty && (
          <Pages view={view} change={change} total={links.data.total} page={links.data.page} />
        )}
      </StaleContent>
    </Stack>
  )
}

/** Placeholders as high as the loaded rows. */
function LoadingRows() {
  return (
    <div>
      {Array.from({ length: 12 }, (_, index) => (
        <Skeleton key={index} height={46} mb={1} />
      ))}
    </div>
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
  const create = <Button onClick={() => openCreateDialog()}>{t('create.create')}</Button>
  if (!isFiltered(view)) return <Notice title={t('links.none')} help={t('links.noneHelp')} action={create} />
  const clear = (
    <Button variant="light" onClick={() => change(CLEARED)}>
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
        <NativeSelect
          aria-label={t('links.perPage')}
          w={80}
          size="xs"
          data={PAGE_SIZES}
          value={view.per_page}
          onChange={({ currentTarget }) => change({ per_page: currentTarget.value })}
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
