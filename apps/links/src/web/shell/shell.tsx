import { ActionIcon } from '@mantine/core'
import { spotlight } from '@mantine/spotlight'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { IconSearch } from '@tabler/icons-react'
import { useEffect } from 'react'
import { Router } from 'wouter'
import { detailPages, pages } from '../pages.tsx'
import { followChanges } from '../queries.ts'
import { useText } from '../texts/text.ts'
import { Palette } from './palette.tsx'

const HOME = { path: '/dashboard', words: 'page.toDashboard' }

export function Shell() {
  useEffect(followChanges, [])
  return (
    <Router base="/_/admin">
      <Frame pages={pages} actions={<Search />}>
        <CurrentPage pages={pages} details={detailPages} home={HOME} />
      </Frame>
      <Palette />
    </Router>
  )
}

function Search() {
  const { say } = useText()
  return (
    <ActionIcon variant="default" size="lg" onClick={spotlight.open} aria-label={say('shell.search')}>
      <IconSearch size={18} aria-hidden />
    </ActionIcon>
  )
}
