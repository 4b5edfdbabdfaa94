import { Group } from '@mantine/core'
import { AppearanceMenu } from '@latchkey/web/parts/appearance-menu'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { type ReactNode, useEffect } from 'react'
import { Router, useLocation } from 'wouter'
import { withoutLogoutState, loginPath, needsSession } from '../addresses.ts'
import { stayConnected } from '../live/live.ts'
import { detailPages, pages } from '../pages.tsx'
import { Unread } from '../parts/unread.tsx'
import { followSignIn, howSessionEnded, useSession } from '../session.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { Foot, InstanceNotices } from './instance-notices.tsx'
import { Waiting } from './waiting.tsx'
import { Who } from './who.tsx'

const HOME = { path: '/', words: 'page.toLobby' }

export function Shell() {
  useEffect(followSignIn, [])
  return (
    <Router>
      <Framed />
    </Router>
  )
}

function Framed() {
  const { data } = useSession()
  const userId = data?.user.id
  useEffect(() => (userId === undefined ? undefined : stayConnected()), [userId])
  const there = pages.filter(({ isForAdmins }) => !isForAdmins || data?.user.platformAdmin)
  const listed = there.filter(({ icon }) => icon === undefined || data)
  const actions = (
    <Group gap="sm" wrap="nowrap" flex="none">
      {data?.user.identityType === 'oauth' && <Waiting user={data.user} />}
      <AppearanceMenu />
      <Who />
    </Group>
  )
  return (
    <Frame pages={listed} actions={actions} signedOut={null}>
      <InstanceNotices />
      {data && <ConnectionNotice />}
      <ForWhomItIs>
        <CurrentPage pages={there} details={detailPages} home={HOME} />
      </ForWhomItIs>
      <Foot />
    </Frame>
  )
}

/** Leads whoever is not signed in to the login, and from there back here (R23.6); what was typed is kept (kept.ts). */
function ForWhomItIs({ children }: { children: ReactNode }) {
  const [path, go] = useLocation()
  const { data, error, refetch } = useSession()
  const isHeld = needsSession(path) && !data
  const mustSignIn = isHeld && data === null
  useEffect(() => {
    if (!mustSignIn) return
    const ended = howSessionEnded()
    const here = withoutLogoutState(location.pathname + location.search + location.hash)
    go(loginPath(here, ended === null ? {} : { ended }), { replace: true })
  }, [mustSignIn, path, go])
  if (!isHeld) return children
  return <Unread error={data === undefined ? error : null} onRetry={refetch} />
}
