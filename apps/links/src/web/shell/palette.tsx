import { useMantineColorScheme } from '@mantine/core'
import { showError } from '@latchkey/web/toast'
import {
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  spotlight,
} from '@mantine/spotlight'
import { IconLink, IconMoon, IconPlus, IconSearch, IconSun } from '@latchkey/web/icons'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../call.ts'
import { pages } from '../pages.tsx'
import { shortUrl, withoutScheme } from '../parts/short-url.ts'
import { invalidate, useCall } from '../queries.ts'
import { useText } from '../texts/text.ts'

/**
 * Search for pages, actions and links, on any page with Ctrl+K or Cmd+K. Opens when `openCount`
 * changes.
 */
export default function Palette({ openCount }: { openCount: number }) {
  const { t } = useText()
  const [, go] = useLocation()
  const [query, setQuery] = useState('')
  const opener = useRef<HTMLElement | null>(null)
  useEffect(() => spotlight.open(), [openCount])
  const actions = useActions()
  const links = useLinkSearch(query)
  const groups: SpotlightActionGroupData[] = [
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
    { group: t('shell.findLink'), actions: links },
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
        opener.current = document.activeElement as HTMLElement | null
      }}
      onSpotlightClose={() => {
        setQuery('')
        // If the chosen action has opened another page, that page has the focus.
        setTimeout(() => document.activeElement === document.body && opener.current?.focus())
      }}
      attributes={{ content: { 'aria-label': t('shell.search') } }}
      searchProps={{ placeholder: t('shell.search'), 'aria-label': t('shell.search') }}
    />
  )
}

function useActions(): SpotlightActionData[] {
  const { t, failure } = useText()
  const [, go] = useLocation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  const theme = isDark ? 'light' : 'dark'
  const switchTheme = async () => {
    setColorScheme(theme)
    try {
      await call('updateSettings', { body: { theme } })
      await invalidate('settings')
    } catch (error) {
      setColorScheme(colorScheme)
      showError(failure(error))
    }
  }
  return [
    {
      id: 'new-link',
      label: t('shell.newLink'),
      leftSection: <IconPlus size={18} aria-hidden />,
      onClick: () => go('/links?new=1'),
    },
    {
      id: 'theme',
      label: t(isDark ? 'shell.light' : 'shell.dark'),
      leftSection: isDark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />,
      onClick: () => void switchTheme(),
    },
  ]
}

/** Actions for the matching links and for all results. An empty query sends no request. */
function useLinkSearch(query: string): SpotlightActionData[] {
  const { t } = useText()
  const [, go] = useLocation()
  const [searchText] = useDebouncedValue(query.trim(), 150)
  const results = useCall(
    'links',
    'listLinks',
    { query: { search: searchText, per_page: 5 } },
    searchText !== '',
  )
  if (searchText === '' || query.trim() === '') return []
  const links = (results.data?.body ?? []).map((link) => ({
    id: `link-${link.id}`,
    label: link.label ?? withoutScheme(shortUrl(link)),
    description: link.label === null ? link.url : withoutScheme(shortUrl(link)),
    // The server has matched the link. The palette would match only its label and description.
    keywords: [query],
    leftSection: <IconLink size={18} aria-hidden />,
    onClick: () => go(`/links/${link.id}`),
  }))
  return [
    ...links,
    {
      id: 'search-links',
      label: t('shell.searchLinks', { words: searchText }),
      keywords: [query],
      leftSection: <IconSearch size={18} aria-hidden />,
      onClick: () => go(`/links?${new URLSearchParams({ search: searchText })}`),
    },
  ]
}
