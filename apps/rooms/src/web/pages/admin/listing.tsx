import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { LoadMore } from '../../parts/load-more.tsx'
import { LoadingOrError } from '../../parts/loading-or-error.tsx'
import { useText } from '../../texts/text.ts'
import { AdminRefusal } from './refusal.tsx'

interface Props {
  /** Result of `usePages`. */
  list: { error: Error | null; retry: () => void; more: (() => void) | undefined; isReading: boolean }
  /** Number of entries read so far. Undefined until the first page has been read. */
  count: number | undefined
  /** Text of an empty list. */
  none: string
  children: ReactNode
}

/** A list that is read page by page, including its states of loading and error. */
export function Listing({ list: { error, retry, more, isReading }, count, none, children }: Props) {
  const { t } = useText()
  if (count === undefined) return <LoadingOrError error={error} onRetry={retry} />
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {count === 0 ? none : t('admin.shown', { count })}
      </Text>
      {children}
      {error && (
        <Alert color="red" role="alert">
          <AdminRefusal error={error} />
        </Alert>
      )}
      <LoadMore more={more} isReading={isReading} />
    </>
  )
}
