import { Button, Skeleton, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link as To } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { Notice } from '@latchkey/web/parts/notice'
import { useCall } from '../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { PageHeading } from '@latchkey/web/shell/heading'
import { useText } from '../texts/text.ts'
import { type Asked, Dialogs } from './link/dialogs.tsx'
import { Facts } from './link/facts.tsx'
import { Figures } from './link/figures.tsx'
import { BackToLinks, Head } from './link/head.tsx'
import { type Link, nameOf } from './link/link.ts'
import { useRemoval } from './link/removal.tsx'
import { StateNotice } from './link/state-badge.tsx'
import { useWork } from './link/work.ts'

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
  const [asked, setAsked] = useState<Asked | null>(null)
  const opener = useRef<HTMLElement | null>(null)
  const removal = useRemoval(link, (doomed) => setAsked({ about: 'blocked', doomed }))
  const work = useWork(link)
  if (removal.isLeaving('link'))
    return (
      <>
        <PageHeading title={nameOf(link)} mb="lg" style={{ overflowWrap: 'anywhere' }} />
        <Notice title={t('link.leaving')} help={t('link.leavingHelp')} />
      </>
    )
  const deeds = { link, opener, removal, work, ask: setAsked }
  return (
    <Stack gap="md">
      <BackToLinks />
      <Head {...deeds} />
      <StateNotice link={link} work={work} />
      <Facts link={link} />
      <Figures {...deeds} />
      <Dialogs {...deeds} asked={asked} close={() => setAsked(null)} />
    </Stack>
  )
}
