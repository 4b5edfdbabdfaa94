import { Button, Group, Progress as ProgressBar, Stack, Text } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import { CallError } from '@latchkey/web/call'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../texts/text.ts'
import type { useAnalytics } from './use-analytics.ts'

type Read = ReturnType<typeof useAnalytics>

/** How far a long read has got, with a button that ends it; or why there are no statistics. */
export function ReadState({ error, isMissing, isCancelled, progress, cancel, refetch }: Read) {
  const { t, number } = useText()
  if (progress)
    return (
      <Stack gap="xs" role="status">
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed" className="figure">
            {t('analytics.progress', { clicks: number(progress.clicks), of: number(progress.of) })}
          </Text>
          <Button variant="default" size="compact-sm" onClick={cancel}>
            {t('analytics.cancel')}
          </Button>
        </Group>
        <ProgressBar
          size="sm"
          aria-label={t('analytics.reading')}
          value={(100 * progress.clicks) / Math.max(1, progress.of)}
        />
      </Stack>
    )
  const retry = (
    <Button variant="light" onClick={refetch}>
      {t('page.retry')}
    </Button>
  )
  if (isCancelled) return <Notice title={t('analytics.cancelled')} action={retry} />
  // Statistics that could not be refreshed stay.
  if (!error || !isMissing) return null
  if (error instanceof CallError && error.code === 'analytics_busy')
    return <Notice title={t('analytics.busy')} help={t('analytics.busyHelp')} action={retry} />
  return <ErrorNotice error={error} onRetry={refetch} />
}
