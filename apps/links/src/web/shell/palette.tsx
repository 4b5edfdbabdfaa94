import { Palette, type PaletteAction, type PaletteGroup, matches } from '@latchkey/web/parts/palette'
import { useLocation } from 'wouter'
import { pages } from '../pages.tsx'
import { useText } from '../texts/text.ts'
import {
  useBundleActions,
  useGeneralActions,
  useKeyActions,
  useLinkResults,
  useOpenLinkActions,
  useSettingActions,
} from './palette-actions.tsx'
import { PAGE_KEYS } from './shortcuts.ts'

interface Props {
  isOpen: boolean
  /** Closes the palette and returns the focus. */
  close: () => void
  showShortcuts: () => void
}

/** Search for pages, actions, links, bundles, keys and settings, on any page with Ctrl+K or Cmd+K. */
export default function LinksPalette({ isOpen, close, showShortcuts }: Props) {
  const { t } = useText()
  return (
    <Palette
      isOpen={isOpen}
      close={close}
      label={t('shell.search')}
      useGroups={(query) => useGroups(query, showShortcuts)}
    />
  )
}

const keyOf = (path: string) => Object.entries(PAGE_KEYS).find(([, page]) => page === path)?.[0]

function usePageActions(): PaletteAction[] {
  const { t } = useText()
  const [, go] = useLocation()
  return pages.map((page) => ({
    id: `page-${page.path.slice(1)}`,
    label: t(page.title),
    icon: <page.icon size={18} aria-hidden />,
    shortcut: `G ${keyOf(page.path)?.toUpperCase() ?? ''}`,
    run: () => go(page.path),
  }))
}

/** The actions that match, by the part of the product that they belong to. */
function useGroups(query: string, showShortcuts: () => void): PaletteGroup[] {
  const { t } = useText()
  const filter = (actions: readonly PaletteAction[]) =>
    query === '' ? actions : actions.filter((action) => matches(query, action))
  const groups = [
    { label: t('shell.openLink'), actions: filter(useOpenLinkActions()) },
    { label: t('shell.pages'), actions: filter(usePageActions()) },
    { label: t('shell.actions'), actions: filter(useGeneralActions(showShortcuts)) },
    { label: t('nav.bundles'), actions: useBundleActions(query) },
    { label: t('nav.keys'), actions: useKeyActions(query) },
    { label: t('nav.settings'), actions: useSettingActions(query) },
  ]
  const links = useLinkResults(query)
  // Without a query, the recent links come after what belongs to the page. With one, the links that
  // the server finds come last and move nothing above them.
  const isRecent = query === ''
  const linkGroup = { label: t(isRecent ? 'shell.recentLinks' : 'shell.findLink'), actions: links }
  return groups
    .toSpliced(isRecent ? 1 : groups.length, 0, linkGroup)
    .filter(({ actions }) => actions.length > 0)
}
