import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { pages } from '../pages.tsx'
import { useText } from '../texts/text.ts'
import {
  useBundleActions,
  useGeneralActions,
  useLinkActionsFor,
  useOpenLinkActions,
} from './palette-actions.tsx'

/**
 * Search for pages, actions, links and bundles, on any page with Ctrl+K or Cmd+K. Opens when `openCount`
 * changes.
 */
export default function Palette({ openCount }: { openCount: number }) {
  const { t } = useText()
  const [, go] = useLocation()
  const [query, setQuery] = useState('')
  const opener = useRef<HTMLElement | null>(null)
  useEffect(() => spotlight.open(), [openCount])
  // A closed palette must read nothing.
  const [isOpen, setOpen] = useState(false)
  const openLinkActions = useOpenLinkActions(isOpen)
  const actions = useGeneralActions()
  const links = useLinkActionsFor(query, isOpen)
  const bundles = useBundleActions(query, isOpen)
  const groups: SpotlightActionGroupData[] = [
    { group: t('shell.openLink'), actions: openLinkActions },
    { group: t(query.trim() === '' ? 'shell.recentLinks' : 'shell.findLink'), actions: links },
    { group: t('nav.bundles'), actions: bundles },
    {
      group: t('shell.pages'),
      actions: pages.map((page) => ({
        id: page.path,
        label: t(page.title),
        leftSection: <page.icon size={18} aria-hidden />,
        onClick: () => go(page.path),
      })),
    },
    { group: t('shell.actions'), actions },
  ]
  return (
    <Spotlight
      actions={groups}
      query={query}
      onQueryChange={setQuery}
      shortcut="mod + K"
      tagsToIgnore={[]}
      scrollable
      maxHeight="60vh"
      nothingFound={t('shell.noCommand')}
      transitionProps={{ duration: 0 }}
      returnFocus={false}
      onSpotlightOpen={() => {
        setOpen(true)
        opener.current = document.activeElement as HTMLElement | null
      }}
      onSpotlightClose={() => {
        setOpen(false)
        setQuery('')
        // If the chosen action has opened another page, that page has the focus.
        setTimeout(() => document.activeElement === document.body && opener.current?.focus())
      }}
      attributes={{ content: { 'aria-label': t('shell.search') } }}
      searchProps={{ placeholder: t('shell.search'), 'aria-label': t('shell.search') }}
    />
  )
}
