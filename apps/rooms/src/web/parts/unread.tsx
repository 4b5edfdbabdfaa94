import { Center, Loader } from '@mantine/core'
import { Failed } from '@latchkey/web/shell/boundary'
import { useText } from '../texts/text.ts'

/** In place of what has not been read: that it comes, or why not. */
export function Unread({ error, onRetry }: { error: Error | null; onRetry: () => unknown }) {
  const { say } = useText()
  if (error) return <Failed error={error} onRetry={() => void onRetry()} />
  return (
    <Center p="xl">
      <Loader size="sm" aria-label={say('page.loading')} />
    </Center>
  )
}
