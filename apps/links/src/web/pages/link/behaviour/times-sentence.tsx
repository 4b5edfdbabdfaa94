import { Text } from '@mantine/core'
import { type Times, useSentences } from '../../../parts/behaviour/sentences.ts'

/** When the link works, in one sentence. */
export default function TimesSentence({ times }: { times: Times }) {
  const sentences = useSentences()
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {sentences.times(times)}
    </Text>
  )
}
