import { ActionIcon, Kbd, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { ErrorBoundary } from '@latchkey/web/shell/error-boundary'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { IconSearch } from '@latchkey/web/icons'
import { Suspense, lazy, useEffect, useState } from 'react'
import { Router } from 'wouter'
import { detailPages, pages } from '../pages.tsx'
import { followChanges } from '../queries.ts'
import { useText } from '../texts/text.ts'

// Loaded on first use: the first page does not need it.
const Palette = lazy(() => import('./palette.tsx'))

/** Of the palette, as the keyboard labels it. */
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

const HOME = { path: '/dashboard', words: 'page.toDashboard' }

export function Shell() {
  useEffect(followChanges, [])
  // Number of requests to open the palette. Once loaded, it handles its shortcut itself.
  const [openCount, setOpenCount] = useState(0)
  const openPalette = () => setOpenCount((count) => count + 1)
  useHotkeys(openCount === 0 ? [['mod+K', openPalette]] : [], [])
  return (
    <Router base="/_/admin">
      <Frame pages={pages} search={<Search onClick={openPalette} />}>
        <CurrentPage pages={pages} details={detailPages} home={HOME} />
      </Frame>
      {openCount > 0 && (
        <ErrorBoundary>
          <Suspense>
            <Palette openCount={openCount} />
          </Suspense>
        </ErrorBoundary>
      )}
    </Router>
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
