import { Button, Skeleton, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link as To } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { Notice } from '@latchkey/web/parts/notice'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { PageHeading } from '@latchkey/web/shell/heading'
import { useText } from '../../texts/text.ts'
import { BehaviourCards, useBehaviourParts } from './behaviour/cards.tsx'
import { type DialogState, Dialogs } from './dialogs.tsx'
import { Facts } from './facts.tsx'
import { History } from './history.tsx'
import { Slugs } from './slugs.tsx'
import { LinkStats } from './stats.tsx'
import { BackToLinks, type LinkControls, LinkHeader } from './link-header.tsx'
import { type Link, nameOf } from './link.ts'
import { useRemoval } from './use-removal.tsx'
import { StateNotice } from './state-badge.tsx'
import { useLinkActions } from './use-link-actions.ts'

export default function LinkDetail({ id }: { id: number }) {
  const { t } = useText()
  const link = useCall('links', 'getLink', { params: { id } })
  if (link.error instanceof CallError && link.error.status === 404) return <Missing />
  if (link.data) return <Detail link={link.data.body} />
  return (
    <>
      <PageHeading title={t('link.title')} mb="lg" />
      {link.error ? (
        <ErrorNotice error={link.error} onRetry={() => void link.refetch()} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  )
}

function Missing() {
  const { t } = useText()
  const action = (
    <Button component={To} href="/links">
      {t('link.toLinks')}
    </Button>
  )
  return (
    <>
      <PageHeading title={t('link.title')} mb="lg" />
      <Notice title={t('link.missing')} help={t('link.missingHelp')} action={action} />
    </>
  )
}

function Detail({ link }: { link: Link }) {
  const { t } = useText()
  const [dialog, setDialog] = useState<DialogState | null>(null)
  const opener = useRef<HTMLElement | null>(null)
  const removal = useRemoval(link, (target) => setDialog({ about: 'blocked', target }))
  const actions = useLinkActions(link)
  const isReady = useBehaviourParts(link)
  if (removal.isPending('link'))
    return (
      <>
        <PageHeading title={nameOf(link)} mb="lg" style={{ overflowWrap: 'anywhere' }} />
        <Notice title={t('link.isDeleting')} help={t('link.isDeletingHelp')} />
      </>
    )
  const controls = { link, opener, removal, actions, openDialog: setDialog }
  return (
    <Stack gap="md">
      <BackToLinks />
      <LinkHeader {...controls} />
      <StateNotice link={link} actions={actions} />
      {isReady ? <Columns {...controls} /> : <Skeleton height={420} />}
      <Dialogs {...controls} dialog={dialog} close={() => setDialog(null)} />
    </Stack>
  )
}

/** What the link is, beside what happens to it; below each other in a narrow window. */
function Columns(controls: LinkControls) {
  const { link } = controls
  return (
    <div className="link-columns">
      <Stack className="link-rail" gap="md">
        <Facts {...controls} />
        <BehaviourCards link={link} />
        <Slugs {...controls} />
      </Stack>
      <Stack className="link-main" gap="md">
        <LinkStats link={link} />
        <History link={link} />
      </Stack>
    </div>
  )
}
