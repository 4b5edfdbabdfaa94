import { ActionIcon, Group } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconMessageSearch } from '@latchkey/web/icons'
import { AppearanceMenu } from '@latchkey/web/parts/appearance-menu'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { OnUse } from '@latchkey/web/shell/on-use'
import { PaletteButton, usePalette } from '@latchkey/web/shell/palette-button'
import { isShortcut, useShortcutsEnabled } from '@latchkey/web/shortcuts'
import { type ReactNode, lazy, useEffect, useState } from 'react'
import { Router, useLocation } from 'wouter'
import { ROOM, withoutLogoutState, loginPath, needsSession } from '../addresses.ts'
import { stayConnected } from '../live/live.ts'
import { detailPages, pages } from '../pages.tsx'
import { LoadingOrError } from '../parts/loading-or-error.tsx'
import { Notifier } from '../notifications/notifier.tsx'
import { type SignedIn, type User, followSignIn, sessionEndReason, useSession } from '../session.ts'
import { SEARCH_SHORTCUT, closeSearch, openSearch, useSearchStart } from '../search/open-search.ts'
import { useLobbyUpdates } from '../sidebar/lobby.ts'
import { OwnRooms } from '../sidebar/own-rooms.tsx'
import { useText } from '../texts/text.ts'
import { CallAlerts } from '../voice/call-alerts.tsx'
import { CallElsewhere } from '../voice/call-elsewhere.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { SupportLink, InstanceNotices } from './instance-notices.tsx'
import { CardPlace } from '../people/card-place.tsx'
import { MenuMark } from './menu-mark.tsx'
import { PendingBadge } from './pending-badge.tsx'
import { AccountMenu } from './account-menu.tsx'

// Loaded on first use.
const Jump = lazy(() => import('../sidebar/jump.tsx'))
const ShortcutSheet = lazy(() =>
  import('./shortcut-sheet.tsx').then(({ loadShortcutSheet }) => loadShortcutSheet()),
)
const SearchDialog = lazy(() => import('../search/search-dialog.tsx'))

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
  const { t } = useText()
  const [path] = useLocation()
  const { data } = useSession()
  const userId = data?.user.id
  useEffect(() => (userId === undefined ? undefined : stayConnected()), [userId])
  useLobbyUpdates(userId !== undefined)
  const palette = usePalette()
  const isGuest = data?.user.identityType === 'guest'
  const available = pages.filter(
    ({ isForAdmins, isForMembers }) =>
      (!isForAdmins || data?.user.platformAdmin) && !(isForMembers && isGuest),
  )
  // Also while the session is being read: most pages have one, and should not move when it arrives.
  const navigable = available.filter(({ icon }) => icon === undefined || data !== null)
  const isRoom = ROOM.test(path)
  return (
    <>
      <Frame
        pages={navigable}
        menuMark={data && <MenuMark path={path} />}
        search={data && <PaletteButton label={t('sidebar.jump')} onClick={palette.open} />}
        actions={<HeaderActions session={data} />}
        subnavigation={data && <OwnRooms user={data.user} />}
        footer={isRoom && <SupportLink />}
        signedOut={null}
        fillsWindow={isRoom}
      >
        <div className="notices">
          <InstanceNotices />
          {data && <ConnectionNotice />}
          {data && <CallElsewhere path={path} />}
        </div>
        <RequireSession>
          <CurrentPage pages={available} details={detailPages} home={HOME} />
        </RequireSession>
        {!isRoom && <SupportLink />}
      </Frame>
      {data && (
        <OnUse isUsed={palette.isOpen}>
          <Jump user={data.user} isOpen={palette.isOpen} close={palette.close} />
        </OnUse>
      )}
      {data && (
        <>
          <MessageSearch user={data.user} />
          <CardPlace />
          <Notifier />
          <CallAlerts />
          <Shortcuts />
        </>
      )}
    </>
  )
}

/** The search of messages. Ctrl+Shift+F and Cmd+Shift+F open it, also in a field. */
function MessageSearch({ user }: { user: User }) {
  const start = useSearchStart()
  useHotkeys([['mod+shift+F', () => (start ? closeSearch() : openSearch())]], [])
  return (
    <OnUse isUsed={start !== null}>
      <SearchDialog user={user} />
    </OnUse>
  )
}

/** The list of the shortcuts, which `?` opens outside a field. */
function Shortcuts() {
  const [isOpen, setOpen] = useState(false)
  const [isEnabled, setEnabled] = useShortcutsEnabled()
  useEffect(() => {
    if (!isEnabled) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '?' || !isShortcut(event)) return
      event.preventDefault()
      setOpen(true)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isEnabled])
  return (
    <OnUse isUsed={isOpen}>
      <ShortcutSheet
        isOpen={isOpen}
        close={() => setOpen(false)}
        isEnabled={isEnabled}
        setEnabled={setEnabled}
      />
    </OnUse>
  )
}

function SearchButton() {
  const { t } = useText()
  return (
    <ActionIcon
      variant="default"
      size="lg"
      visibleFrom="sm"
      onClick={() => openSearch()}
      aria-label={t('search.title')}
      data-tooltip={`${t('search.title')} (${SEARCH_SHORTCUT})`}
    >
      <IconMessageSearch size={18} aria-hidden />
    </ActionIcon>
  )
}

function HeaderActions({ session }: { session: SignedIn | null | undefined }) {
  return (
    <Group gap="sm" wrap="nowrap" flex="none">
      {session && <SearchButton />}
      {session?.user.identityType === 'oauth' && <PendingBadge user={session.user} />}
      <AppearanceMenu />
      <AccountMenu />
    </Group>
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
