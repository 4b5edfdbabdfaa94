import { ActionIcon } from '@mantine/core'
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

const HOME = { path: '/dashboard', words: 'page.toDashboard' }

export function Shell() {
  useEffect(followChanges, [])
  // Number of requests to open the palette. Once loaded, it handles its shortcut itself.
  const [openCount, setOpenCount] = useState(0)
  const openPalette = () => setOpenCount((count) => count + 1)
  useHotkeys(openCount === 0 ? [['mod+K', openPalette]] : [], [])
  return (
    <Router base="/_/admin">
      <Frame pages={pages} actions={<Search onClick={openPalette} />}>
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

function Search({ onClick }: { onClick: () => void }) {
  const { t } = useText()
  return (
    <ActionIcon variant="default" size="lg" onClick={onClick} aria-label={t('shell.search')}>
      <IconSearch size={18} aria-hidden />
    </ActionIcon>
  )
}
