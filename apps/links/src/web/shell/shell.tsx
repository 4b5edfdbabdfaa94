import { ActionIcon, Button, Kbd, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { ErrorBoundary } from '@latchkey/web/shell/error-boundary'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { IconPlus, IconSearch } from '@latchkey/web/icons'
import { type ReactNode, Suspense, lazy, useEffect, useRef, useState } from 'react'
import { Router } from 'wouter'
import { openCreateDialog, useLinkDialog } from '../link-dialogs/state.ts'
import { detailPages, pages } from '../pages.tsx'
import { followChanges } from '../queries.ts'
import { useText } from '../texts/text.ts'
import { useCreateFromAddress, usePasteToCreate, useShortcuts, useShortcutsEnabled } from './shortcuts.ts'

// Loaded on first use: the first page does not need them.
const Palette = lazy(() => import('./palette.tsx'))
const ShortcutSheet = lazy(() => import('./shortcut-sheet.tsx'))
const LinkDialog = lazy(() => import('../link-dialogs/dialog.tsx'))

/** Of the palette, as the keyboard labels it. */
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

/** Path of all pages. Must match PAGE_PATHS of http/pages.ts. */
export const BASE = '/_/admin'

const HOME = { path: '/dashboard', words: 'page.toDashboard' }

export function Shell() {
  useEffect(() => followChanges({ expectsClicks: location.pathname.endsWith(HOME.path) }), [])
  const palette = usePalette()
  const [isSheetOpen, setSheetOpen] = useState(false)
  usePasteToCreate()
  useCreateFromAddress()
  return (
    <Router base={BASE}>
      <Frame pages={pages} search={<Search onClick={palette.open} />} actions={<CreateButton />}>
        <CurrentPage pages={pages} details={detailPages} home={HOME} />
      </Frame>
      <OnUse isUsed={palette.isOpen}>
        <Palette isOpen={palette.isOpen} close={palette.close} showShortcuts={() => setSheetOpen(true)} />
      </OnUse>
      <OnUse isUsed={useLinkDialog() !== null}>
        <LinkDialog />
      </OnUse>
      <Shortcuts isSheetOpen={isSheetOpen} setSheetOpen={setSheetOpen} />
    </Router>
  )
}

/** Renders and loads its content when it is first used, and keeps it from then on. */
function OnUse({ isUsed, children }: { isUsed: boolean; children: ReactNode }) {
  const wasUsed = useRef(false)
  wasUsed.current ||= isUsed
  return (
    wasUsed.current && (
      <ErrorBoundary>
        <Suspense>{children}</Suspense>
      </ErrorBoundary>
    )
  )
}

/** Whether the palette is open. Ctrl+K and Cmd+K open and close it, also in a field. */
function usePalette() {
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<Element | null>(null)
  const open = () => {
    opener.current = document.activeElement
    setOpen(true)
  }
  const close = () => {
    setOpen(false)
    // If the chosen action has opened another page, that page has the focus.
    setTimeout(() => {
      if (document.activeElement === document.body) (opener.current as HTMLElement | null)?.focus()
    })
  }
  useHotkeys([['mod+K', isOpen ? close : open]], [])
  return { isOpen, open, close }
}

interface ShortcutsProps {
  isSheetOpen: boolean
  setSheetOpen: (isOpen: boolean) => void
}

function Shortcuts({ isSheetOpen, setSheetOpen }: ShortcutsProps) {
  const [isEnabled, setEnabled] = useShortcutsEnabled()
  useShortcuts(isEnabled, () => setSheetOpen(true))
  return (
    <OnUse isUsed={isSheetOpen}>
      <ShortcutSheet
        isOpen={isSheetOpen}
        close={() => setSheetOpen(false)}
        isEnabled={isEnabled}
        setEnabled={setEnabled}
      />
    </OnUse>
  )
}

/** Opens the dialog for a new link. An icon in a narrow window. */
function CreateButton() {
  const { t } = useText()
  return (
    <>
      <Button
        visibleFrom="sm"
        flex="none"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => openCreateDialog()}
      >
        {t('create.create')}
      </Button>
      <ActionIcon
        size="lg"
        hiddenFrom="sm"
        onClick={() => openCreateDialog()}
        aria-label={t('create.create')}
      >
        <IconPlus size={18} aria-hidden />
      </ActionIcon>
    </>
  )
}

/** Opens the palette. A field in a wide window, an icon in a narrow one. */
function Search({ onClick }: { onClick: () => void }) {
  const { t } = useText()
  return (
    <>
      <UnstyledButton className="search-button" visibleFrom="sm" onClick={onClick}>
        <IconSearch size={16} stroke={1.8} aria-hidden />
        <span className="search-button-text">{t('shell.search')}</span>
        <Kbd size="xs">{SHORTCUT}</Kbd>
      </UnstyledButton>
      <ActionIcon
        variant="default"
        size="lg"
        hiddenFrom="sm"
        onClick={onClick}
        aria-label={t('shell.search')}
      >
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
    </>
  )
}
