import { Title } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import { Explorer } from '../../analytics/explorer.tsx'
import { useText } from '../../texts/text.ts'
import { type Link, subjectOf } from './link.ts'
import { useLinkState } from './use-link-state.ts'

export function LinkStats({ link }: { link: Link }) {
  const { t } = useText()
  return (
    <>
      <Title order={2} size="h1">
        {t('analytics.title')}
      </Title>
      <Explorer subject={subjectOf(link)} empty={link.total_clicks === 0 && <NoClicks link={link} />} />
    </>
  )
}

function NoClicks({ link }: { link: Link }) {
  const { t } = useText()
  const state = useLinkState(link)
  return <Notice title={t('link.noClicks')} {...(state === 'active' && { help: t('link.noClicksHelp') })} />
}
