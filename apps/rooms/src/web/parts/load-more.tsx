import { Alert, Button, Stack } from '@mantine/core'
import { useText } from '../texts/text.ts'

interface Props {
  more: (() => void) | undefined
  isReading: boolean
  /** Error of reading the next page. */
  error?: Error | null
}

/** Button for the next page of a list, if there is one. */
export function LoadMore({ more, isReading, error }: Props) {
  const { t, failure } = useText()
  if (!more) return null
  return (
    <Stack mt="md" gap="sm" align="center">
      {error && (
        <Alert color="red" role="alert">
          {failure(error)}
        </Alert>
      )}
      <Button variant="default" size="sm" loading={isReading} onClick={more}>
        {t('lobby.more')}
      </Button>
    </Stack>
  )
}
