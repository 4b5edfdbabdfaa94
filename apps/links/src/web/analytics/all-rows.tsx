import { Button, Skeleton, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconDownload } from '@latchkey/web/icons'
import { useState } from 'react'
import { type Input, addressOf } from '../call.ts'
import { focusFirstField } from '../parts/focus-first-field.ts'
import { Pager } from '../parts/pager.tsx'
import { ReadError } from '../parts/read-error.tsx'
import { StaleContent } from '../parts/stale-content.tsx'
import { useCall } from '../queries.ts'
import { useText } from '../texts/text.ts'
import type { DetailsProps } from './types.ts'
import { Rows } from './rows.tsx'
import { queryOf } from './use-analytics.ts'

const PAGE_SIZE = 20
const TYPING_MS = 250
/** Longest text that the service searches for. */
const MAX_SEARCH = 256

/** Values of a dimension in pages, with search and as CSV. */
export default function AllRows({ dimension, view, toggle, subject, stats, onClose }: DetailsProps) {
  const { t } = useText()
  const [text, setText] = useState('')
  const [offset, setOffset] = useState(0)
  const [search] = useDebouncedValue(text.trim(), TYPING_MS)
  const query = { ...queryOf(view, subject), dimension }
  const result = useCall('totals', 'getAnalyticsBreakdown', {
    query: { ...query, offset, limit: PAGE_SIZE, ...(search !== '' && { search }) },
  })
  const breakdown = result.data?.body
  // Stays when a page fails to load, to keep the pager.
  const [total, setTotal] = useState(0)
  if (breakdown && breakdown.total !== total) setTotal(breakdown.total)
  return (
    <Stack gap="md" ref={focusFirstField}>
      <TextInput
        type="search"
        maxLength={MAX_SEARCH}
        aria-label={t('analytics.search')}
        placeholder={t('analytics.search')}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setOffset(0)
        }}
      />
      {result.isPending && <Skeleton height={300} />}
      {result.isLoadingError && <ReadError error={result.error} onRetry={() => void result.refetch()} />}
      {breakdown && (
        <StaleContent isStale={result.isPlaceholderData}>
          <Rows
            dimension={dimension}
            breakdown={breakdown}
            clicks={stats?.totals.clicks ?? 0}
            view={view}
            toggle={(filter) => {
              onClose()
              toggle(filter)
            }}
            isContinued={offset > 0 || search !== ''}
          />
        </StaleContent>
      )}
      <Download query={{ ...query, ...(search !== '' && { search }) }} />
      <Pager
        label={t(`dimension.${dimension}`)}
        offset={offset}
        size={PAGE_SIZE}
        total={total}
        onMove={setOffset}
      />
    </Stack>
  )
}

function Download({ query }: { query: NonNullable<Input<'exportAnalyticsBreakdown'>['query']> }) {
  const { t } = useText()
  return (
    <Button
      component="a"
      href={addressOf('exportAnalyticsBreakdown', { query })}
      download
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      {t('analytics.csv')}
    </Button>
  )
}
