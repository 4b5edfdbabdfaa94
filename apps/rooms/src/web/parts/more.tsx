import { Button, Center } from '@mantine/core'
import { useText } from '../texts/text.ts'

/** The next page of a list, where there is one. */
export function More({ more, isReading }: { more: (() => void) | undefined; isReading: boolean }) {
  const { say } = useText()
  if (!more) return null
  return (
    <Center mt="md">
      <Button variant="default" size="sm" loading={isReading} onClick={more}>
        {say('lobby.more')}
      </Button>
    </Center>
  )
}
