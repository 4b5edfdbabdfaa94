import { Button, Stack, Text } from '@mantine/core'
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
  return (
    <Stack align="center" gap="sm" p="md" role="alert">
      <Text size="sm" ta="center">
        {title !== undefined && (
          <Text span inherit display="block" fw={500}>
            {title}
          </Text>
        )}
        {failure(error)}
      </Text>
      <Button variant="light" size="compact-sm" onClick={onRetry}>
        {t('page.retry')}
      </Button>
    </Stack>
  )
}
