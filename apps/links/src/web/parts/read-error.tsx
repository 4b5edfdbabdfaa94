import { Button, Stack, Text } from '@mantine/core'
import { isUnanswered } from '@latchkey/web/call'
import { useText } from '../texts/text.ts'

interface Props {
  error: unknown
  onRetry: () => void
  /** Names the missing content, where the context does not show it. */
  title?: string
}

/** Error of a part of a page that is too small for a notice. */
export function ReadError({ error, onRetry, title }: Props) {
  const { t, failure } = useText()
  const isWaiting = isUnanswered(error)
  return (
    <Stack align="center" gap="sm" p="md" role={isWaiting ? 'status' : 'alert'}>
      <Text size="sm" ta="center" {...(isWaiting && { c: 'dimmed' })}>
        {title !== undefined && (
          <Text span inherit display="block" fw={500}>
            {title}
          </Text>
        )}
        {isWaiting ? t('page.waiting') : failure(error)}
      </Text>
      <Button variant="light" size="compact-sm" onClick={onRetry}>
        {t('page.retry')}
      </Button>
    </Stack>
  )
}
