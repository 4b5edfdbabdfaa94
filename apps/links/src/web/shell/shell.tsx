import { ActionIcon, Button } from '@mantine/core'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { IconPlus } from '@latchkey/web/icons'
import { OnUse } from '@latchkey/web/shell/on-use'
import { PaletteButton, usePalette } from '@latchkey/web/shell/palette-button'
import { lazy, useEffect, useState } from 'react'
import { Router } from 'wouter'
import { openCreateDialog, useLinkDialog } from '../link-dialogs/state.ts'
import { detailPages, pages } from '../pages.tsx'
import { OpenPlans } from '../parts/open-plans.tsx'
import { followChanges } from '../queries.ts'
import { useText } from '../texts/text.ts'
import { useShortcutsEnabled } from '@latchkey/web/shortcuts'
import { useCreateFromAddress, usePasteToCreate, useShortcuts } from './shortcuts.ts'

// Loaded on first use: the first page does not need them.
const Palette = lazy(() => import('./palette.tsx'))
const ShortcutSheet = lazy(() => import('./shortcut-sheet.tsx'))
const LinkDialog = lazy(() => import('../link-dialogs/dialog.tsx'))

/** Path of all pages. Must match PAGE_PATHS of http/pages.ts. */
export const BASE = '/_/admin'

const BADGES = { '/plans': <OpenPlans /> }

const HOME = { path: '/dashboard', words: 'page.toDashboard' }

export function Shell() {
  const { t } = useText()
  useEffect(() => followChanges({ expectsClicks: location.pathname.endsWith(HOME.path) }), [])
  const palette = usePalette()
  const [isSheetOpen, setSheetOpen] = useState(false)
  usePasteToCreate()
  useCreateFromAddress()
  return (
    <Router base={BASE}>
      <Frame
        pages={pages}
        badges={BADGES}
        search={<PaletteButton label={t('shell.search')} onClick={palette.open} />}
        actions={<CreateButton />}
      >
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
