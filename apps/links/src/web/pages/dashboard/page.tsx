import { Stack } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import { Explorer } from '../../analytics/explorer.tsx'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { LiveClicks } from './live-clicks.tsx'
import { SmartInput } from './smart-input.tsx'

export default function Dashboard() {
  const { t } = useText()
  const links = useCall('totals', 'listLinks', { query: { limit: 1 } })
  const hasNone = links.data?.body.length === 0
  return (
    <Stack gap="md">
      <SmartInput />
      {hasNone ? (
        <Notice title={t('links.none')} help={t('links.noneHelp')} />
      ) : (
        <Explorer panel={() => <LiveClicks />} />
      )}
    </Stack>
  )
}
