import { Center, Loader } from '@mantine/core'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../texts/text.ts'

/** In place of what has not been read: that it comes, or why not. */
export function LoadingOrError({ error, onRetry }: { error: Error | null; onRetry: () => unknown }) {
  const { t } = useText()
  if (error) return <ErrorNotice error={error} onRetry={() => void onRetry()} />
  return (
    <Center p="xl">
      <Loader size="sm" aria-label={t('page.loading')} />
    </Center>
  )
}
