import { Stack } from '@mantine/core'
import { Explorer } from '../../analytics/explorer.tsx'
import { useCall } from '../../queries.ts'
import { FirstRun } from './first-run.tsx'
import { LiveClicks } from './live-clicks.tsx'
import { SmartInput } from './smart-input.tsx'
import { WebhookNotice } from './webhook-notice.tsx'
import { FIRST_RUN_LINKS, useFirstRun } from './use-first-run.ts'

export default function Dashboard() {
  const links = useCall('totals', 'listLinks', { query: { limit: FIRST_RUN_LINKS } }).data?.body
  const isFirstRun = useFirstRun(links)
  return (
    <Stack gap="md">
      <WebhookNotice />
      <SmartInput />
      {links && isFirstRun && <FirstRun links={links} />}
      {links?.length !== 0 && <Explorer panel={<LiveClicks />} />}
    </Stack>
  )
}
