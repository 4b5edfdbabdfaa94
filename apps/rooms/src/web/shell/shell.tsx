import { Group } from '@mantine/core'
import { AppearanceMenu } from '@latchkey/web/parts/appearance-menu'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { type ReactNode, useEffect } from 'react'
import { Router, useLocation } from 'wouter'
import { withoutLogoutState, loginPath, needsSession } from '../addresses.ts'
import { stayConnected } from '../live/live.ts'
import { detailPages, pages } from '../pages.tsx'
import { LoadingOrError } from '../parts/loading-or-error.tsx'
import { followSignIn, sessionEndReason, useSession } from '../session.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { SupportLink, InstanceNotices } from './instance-notices.tsx'
import { PendingBadge } from './pending-badge.tsx'
import { AccountMenu } from './account-menu.tsx'

const HOME = { path: '/', words: 'page.toLobby' }

export function Shell() {
  useEffect(followSignIn, [])
  return (
    <Router>
      <Layout />
    </Router>
  )
}

function Layout() {
  const { data } = useSession()
  const userId = data?.user.id
  useEffect(() => (userId === undefined ? undefined : stayConnected()), [userId])
  const available = pages.filter(({ isForAdmins }) => !isForAdmins || data?.user.platformAdmin)
  // Also while the session is being read: most pages have one, and should not move when it arrives.
  const navigable = available.filter(({ icon }) => icon === undefined || data !== null)
  const actions = (
    <Group gap="sm" wrap="nowrap" flex="none">
      {data?.user.identityType === 'oauth' && <PendingBadge user={data.user} />}
      <AppearanceMenu />
      <AccountMenu />
    </Group>
  )
  return (
    <Frame pages={navigable} actions={actions} signedOut={null}>
      <InstanceNotices />
      {data && <ConnectionNotice />}
      <RequireSession>
        <CurrentPage pages={available} details={detailPages} home={HOME} />
      </RequireSession>
      <SupportLink />
    </Frame>
  )
}

/**
 * Redirects to the sign-in page if there is no session. Sign-in leads back to this page (R23.6).
 * Drafts are kept (user-draft.ts).
 */
function RequireSession({ children }: { children: ReactNode }) {
  const [path, go] = useLocation()
  const { data, error, refetch } = useSession()
  const isBlocked = needsSession(path) && !data
  const mustSignIn = isBlocked && data === null
  useEffect(() => {
    if (!mustSignIn) return
    const reason = sessionEndReason()
    const here = withoutLogoutState(location.pathname + location.search + location.hash)
    go(loginPath(here, reason === null ? {} : { ended: reason }), { replace: true })
  }, [mustSignIn, path, go])
  if (!isBlocked) return children
  return <LoadingOrError error={data === undefined ? error : null} onRetry={refetch} />
}
