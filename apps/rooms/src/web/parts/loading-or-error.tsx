import { RowSkeletons } from '@latchkey/web/parts/skeletons'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../texts/text.ts'

/** Placeholder of data that is loading or failed to load. */
export function LoadingOrError({ error, onRetry }: { error: Error | null; onRetry: () => unknown }) {
  const { t } = useText()
  if (error) return <ErrorNotice error={error} onRetry={() => void onRetry()} />
  return <RowSkeletons label={t('page.loading')} />
}
