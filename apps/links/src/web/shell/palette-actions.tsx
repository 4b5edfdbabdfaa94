import { useMantineColorScheme } from '@mantine/core'
import type { SpotlightActionData } from '@mantine/spotlight'
import {
  IconCopy,
  IconFolder,
  IconLink,
  IconMoon,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconQrcode,
  IconSearch,
  IconSun,
} from '@latchkey/web/icons'
import { useCopy } from '@latchkey/web/parts/copy'
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
import { useText } from '../texts/text.ts'

const ICON = { size: 18, 'aria-hidden': true } as const

/** Actions that do not depend on the page. */
export function useGeneralActions(): SpotlightActionData[] {
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
      leftSection: <IconPlus {...ICON} />,
      rightSection: 'C',
      // After the palette has closed and returned the focus.
      onClick: () => void setTimeout(openCreateDialog),
    },
    {
      id: 'theme',
      label: t(isDark ? 'shell.light' : 'shell.dark'),
      leftSection: isDark ? <IconSun {...ICON} /> : <IconMoon {...ICON} />,
      onClick: () => void switchTheme(),
    },
  ]
}

/** Actions for the link whose page is open. */
export function useOpenLinkActions(isOpen: boolean): SpotlightActionData[] {
  const [path] = useLocation()
  const id = Number(/^\/links\/(\d{1,15})$/.exec(path)?.[1] ?? 0)
  const link = useCall('links', 'getLink', { params: { id } }, isOpen && id > 0).data?.body
  return useActionsOf(link?.id === id ? link : undefined)
}

const NO_LINK = { id: 0, slugs: [], expires_at: null, disabled_at: null } as unknown as Result<'getLink'>

function useActionsOf(link: Result<'getLink'> | undefined): SpotlightActionData[] {
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
  return [...all, ...(isMine(link) ? own : [])].map(({ icon, run, ...action }) => ({
    ...action,
    id: `open-link-${action.id}`,
    description: withoutScheme(url),
    leftSection: icon,
    onClick: () => void setTimeout(run),
  }))
}

const MAX_BUNDLES = 5

/** Bundles whose names match. */
export function useBundleActions(query: string, isOpen: boolean): SpotlightActionData[] {
  const [, go] = useLocation()
  const text = query.trim().toLowerCase()
  const bundles = useAllBundles(isOpen).data ?? []
  const matching = text === '' ? [] : bundles.filter(({ name }) => name.toLowerCase().includes(text))
  return matching.slice(0, MAX_BUNDLES).map(({ id, name }) => ({
    id: `bundle-${id}`,
    label: name,
    leftSection: <IconFolder {...ICON} />,
    onClick: () => go(`/bundles/${id}`),
  }))
}

/** Links that match, and all results. The newest links without a query. */
export function useLinkActionsFor(query: string, isOpen: boolean): SpotlightActionData[] {
  const { t } = useText()
  const [, go] = useLocation()
  const [searchText] = useDebouncedValue(query.trim(), 150)
  const results = useCall(
    'links',
    'listLinks',
    { query: { per_page: 5, ...(searchText !== '' && { search: searchText }) } },
    isOpen,
  )
  const links = (results.data?.body ?? []).map((link) => ({
    id: `link-${link.id}`,
    label: link.label ?? withoutScheme(shortUrl(link)),
    description: link.label === null ? link.url : withoutScheme(shortUrl(link)),
    // The server has matched the link. The palette would match only its label and description.
    keywords: [query],
    leftSection: <IconLink {...ICON} />,
    onClick: () => go(`/links/${link.id}`),
  }))
  if (searchText === '' || query.trim() === '') return query.trim() === '' ? links : []
  return [
    ...links,
    {
      id: 'search-links',
      label: t('shell.searchLinks', { words: searchText }),
      keywords: [query],
      leftSection: <IconSearch {...ICON} />,
      onClick: () => go(`/links?${new URLSearchParams({ search: searchText })}`),
    },
  ]
}
