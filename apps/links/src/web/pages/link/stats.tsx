import { Title } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import type { Result } from '../../call.ts'
import { Explorer } from '../../analytics/explorer.tsx'
import type { Subject } from '../../analytics/use-analytics.ts'
import { useText } from '../../texts/text.ts'
import type { LinkControls } from './link-header.tsx'
import type { Link } from './link.ts'
import { Slugs } from './slugs.tsx'
import { useLinkState } from './use-link-state.ts'

/** Statistics of the link, with its slugs. The slugs are listed without statistics as well. */
export function LinkStats(controls: LinkControls) {
  const { t } = useText()
  const { link } = controls
  const subject: Subject = { dimension: 'link', value: String(link.id) }
  return (
    <>
      <Title order={2} size="h1">
        {t('analytics.title')}
      </Title>
      <Explorer
        subject={subject}
        empty={link.total_clicks === 0 && <NoClicks link={link} />}
        panel={(stats) => <Slugs counts={slugCounts(stats)} subject={subject} {...controls} />}
      />
    </>
  )
}

/** Clicks of the slugs by name. Those of the least clicked slugs may be missing. */
function slugCounts(stats: Result<'getAnalytics'> | undefined) {
  const slugs = stats?.breakdowns.slug
  if (!slugs) return undefined
  const counts = new Map(slugs.items.map(({ name, count }) => [name, count]))
  return { counts, isComplete: slugs.items.length === slugs.total }
}

function NoClicks({ link }: { link: Link }) {
  const { t } = useText()
  const state = useLinkState(link)
  return <Notice title={t('link.noClicks')} {...(state === 'active' && { help: t('link.noClicksHelp') })} />
}
