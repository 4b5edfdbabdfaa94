import { Button, Skeleton, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link as To } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { Notice } from '@latchkey/web/parts/notice'
import { useCall } from '../queries.ts'
import { Failed } from '@latchkey/web/shell/boundary'
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
  const { say } = useText()
  const link = useCall('links', 'getLink', { params: { id } })
  if (link.error instanceof CallError && link.error.status === 404) return <Missing />
  if (link.data) return <Detail link={link.data.body} />
  return (
    <>
      <PageHeading title={say('link.title')} mb="lg" />
      {link.error ? (
        <Failed error={link.error} onRetry={() => void link.refetch()} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  )
}

function Missing() {
  const { say } = useText()
  const action = (
    <Button component={To} href="/links">
      {say('link.toLinks')}
    </Button>
  )
  return (
    <>
      <PageHeading title={say('link.title')} mb="lg" />
      <Notice title={say('link.missing')} help={say('link.missingHelp')} action={action} />
    </>
  )
}

function Detail({ link }: { link: Link }) {
  const { say } = useText()
  const [asked, setAsked] = useState<Asked | null>(null)
  const opener = useRef<HTMLElement | null>(null)
  const removal = useRemoval(link, (doomed) => setAsked({ about: 'blocked', doomed }))
  const work = useWork(link)
  if (removal.isLeaving('link'))
    return (
      <>
        <PageHeading title={nameOf(link)} mb="lg" style={{ overflowWrap: 'anywhere' }} />
        <Notice title={say('link.leaving')} help={say('link.leavingHelp')} />
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
