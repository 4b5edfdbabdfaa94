import { useMantineColorScheme } from '@mantine/core'
import {
  IconCopy,
  IconFolder,
  IconKey,
  IconKeyboard,
  IconLink,
  IconMoon,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconQrcode,
  IconSearch,
  IconSettings,
  IconSun,
} from '@latchkey/web/icons'
import { useCopy } from '@latchkey/web/parts/copy'
import { type PaletteAction, matches } from '@latchkey/web/parts/palette'
import { showError, showSuccess } from '@latchkey/web/toast'
import { useDebouncedValue } from '@mantine/hooks'
import { useLocation } from 'wouter'
import { type Result, call } from '../call.ts'
import { openCreateDialog, openEditDialog, openQrDialog } from '../link-dialogs/state.ts'
import { isMine } from '../pages/link/link.ts'
import { useLinkActions } from '../pages/link/use-link-actions.ts'
import { useAllBundles } from '../pages/bundles/use-all-bundles.ts'
import { shortUrl, withoutScheme } from '../parts/short-url.ts'
import { invalidate, useCall } from '../queries.ts'
import { type TextKey, useText } from '../texts/text.ts'

const ICON = { size: 18, 'aria-hidden': true } as const

/** Actions that do not depend on the page. */
export function useGeneralActions(showShortcuts: () => void): PaletteAction[] {
  const { t, failure } = useText()
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
      icon: <IconPlus {...ICON} />,
      shortcut: 'C',
      run: () => openCreateDialog(),
    },
    {
      id: 'theme',
      label: t(isDark ? 'shell.light' : 'shell.dark'),
      icon: isDark ? <IconSun {...ICON} /> : <IconMoon {...ICON} />,
      run: switchTheme,
    },
    {
      id: 'shortcuts',
      label: t('shortcuts.title'),
      icon: <IconKeyboard {...ICON} />,
      shortcut: '?',
      run: showShortcuts,
    },
  ]
}

/** Actions for the link whose page is open. */
export function useOpenLinkActions(): PaletteAction[] {
  const [path] = useLocation()
  const id = Number(/^\/links\/(\d{1,15})$/.exec(path)?.[1] ?? 0)
  const link = useCall('links', 'getLink', { params: { id } }, id > 0).data?.body
  return useActionsOf(link?.id === id ? link : undefined)
}

const NO_LINK = { id: 0, slugs: [], expires_at: null, disabled_at: null } as unknown as Result<'getLink'>

function useActionsOf(link: Result<'getLink'> | undefined): PaletteAction[] {
  const { t } = useText()
  const { copy } = useCopy()
  const actions = useLinkActions(link ?? NO_LINK)
  if (!link) return []
  const url = shortUrl(link)
  const isDisabled = link.disabled_at !== null
  const copyUrl = () => {
    copy(url)
    showSuccess(t('copy.copied'))
  }
  const all = [
    { id: 'copy', label: t('link.copy'), icon: <IconCopy {...ICON} />, run: copyUrl },
    { id: 'qr', label: t('link.qr'), icon: <IconQrcode {...ICON} />, run: () => openQrDialog(link) },
  ]
  const own = [
    {
      id: 'edit',
      label: t('create.editTitle'),
      icon: <IconPencil {...ICON} />,
      run: () => openEditDialog(link),
    },
    isDisabled
      ? { id: 'enable', label: t('link.enable'), icon: <IconPlayerPlay {...ICON} />, run: actions.enable }
      : {
          id: 'disable',
          label: t('link.disable'),
          icon: <IconPlayerPause {...ICON} />,
          run: actions.disable,
        },
  ]
  return [...all, ...(isMine(link) ? own : [])].map((action) => ({
    ...action,
    id: `open-link-${action.id}`,
    description: withoutScheme(url),
  }))
}

const MAX_NAMES = 5

/** Bundles whose names match. */
export function useBundleActions(query: string): PaletteAction[] {
  const [, go] = useLocation()
  const bundles = useAllBundles(query !== '').data ?? []
  return bundles
    .map(({ id, name }) => ({
      id: `bundle-${id}`,
      label: name,
      icon: <IconFolder {...ICON} />,
      run: () => go(`/bundles/${id}`),
    }))
    .filter((action) => query !== '' && matches(query, action))
    .slice(0, MAX_NAMES)
}

/** API keys whose titles match. */
export function useKeyActions(query: string): PaletteAction[] {
  const { t } = useText()
  const [, go] = useLocation()
  const keys = useCall('keys', 'listKeys', {}, query !== '').data?.body ?? []
  return keys
    .map(({ id, title, scope }) => ({
      id: `key-${id}`,
      label: title,
      description: t(`keys.scope.${scope}`),
      icon: <IconKey {...ICON} />,
      run: () => go('/keys'),
    }))
    .filter((action) => query !== '' && matches(query, action))
    .slice(0, MAX_NAMES)
}

const SETTINGS: readonly TextKey[] = [
  'appearance.lang',
  'appearance.scheme',
  'settings.slugLength',
  'settings.range',
  'settings.bots',
  'settings.self',
  'settings.root',
  'settings.sdks',
  'settings.mcp',
]

/** Settings whose names match. */
export function useSettingActions(query: string): PaletteAction[] {
  const { t } = useText()
  const [, go] = useLocation()
  return SETTINGS.map((key) => ({
    id: key,
    label: t(key),
    icon: <IconSettings {...ICON} />,
    run: () => go('/settings'),
  })).filter((action) => query !== '' && matches(query, action))
}

/** Links that match, and all results. The newest links without a query. */
export function useLinkResults(query: string): PaletteAction[] {
  const { t } = useText()
  const [, go] = useLocation()
  const [searchText] = useDebouncedValue(query, 150)
  const results = useCall('links', 'listLinks', {
    query: { per_page: 5, ...(searchText !== '' && { search: searchText }) },
  })
  // The results of the previous query would be wrong.
  if ((query === '') !== (searchText === '')) return []
  const links = (results.data?.body ?? []).map((link) => ({
    id: `link-${link.id}`,
    label: link.label ?? withoutScheme(shortUrl(link)),
    description: link.label === null ? link.url : withoutScheme(shortUrl(link)),
    icon: <IconLink {...ICON} />,
    run: () => go(`/links/${link.id}`),
  }))
  if (query === '') return links
  const all = {
    id: 'search-links',
    label: t('shell.searchLinks', { words: query }),
    icon: <IconSearch {...ICON} />,
    run: () => go(`/links?${new URLSearchParams({ search: query })}`),
  }
  return [...links, all]
}
