import { isField, isDialogOpen, isShortcut } from '@latchkey/web/shortcuts'
import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { openCreateDialog } from '../link-dialogs/state.ts'
import { parseUrlInput } from '../parts/url-input.ts'

/** Pages by the key that follows G. */
export const PAGE_KEYS = {
  d: '/dashboard',
  l: '/links',
  b: '/bundles',
  k: '/keys',
  i: '/import-export',
  s: '/settings',
} as const

/** Milliseconds in which the second key follows G. */
const SEQUENCE_MS = 1_000
const isPageKey = (key: string): key is keyof typeof PAGE_KEYS => Object.hasOwn(PAGE_KEYS, key)

const searchField = () => document.querySelector<HTMLInputElement>('#link-search')

/** Puts the focus into the search field of the list of links, on whichever page. */
function focusSearch(go: (path: string) => void): void {
  if (searchField()) return searchField()?.focus()
  go('/links')
  // The page may have to be loaded first.
  const observer = new MutationObserver(() => {
    if (!searchField()) return
    observer.disconnect()
    searchField()?.focus()
  })
  observer.observe(document.body, { childList: true, subtree: true })
}

/** Shortcuts of all pages. `showHelp` opens their sheet. */
export function useShortcuts(isEnabled: boolean, showHelp: () => void): void {
  const [, go] = useLocation()
  const goneAt = useRef(-Infinity)
  useEffect(() => {
    if (!isEnabled) return undefined
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return
      const key = event.key.toLowerCase()
      const isSecond = event.timeStamp - goneAt.current < SEQUENCE_MS
      goneAt.current = key === 'g' && !isSecond ? event.timeStamp : -Infinity
      const act = isSecond ? isPageKey(key) && (() => go(PAGE_KEYS[key])) : actionOf(key, go, showHelp)
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isEnabled, go, showHelp])
}

function actionOf(key: string, go: (path: string) => void, showHelp: () => void) {
  const actions: Readonly<Record<string, () => void>> = {
    c: () => openCreateDialog(),
    '/': () => focusSearch(go),
    '?': showHelp,
  }
  return actions[key]
}

const CREATE_PARAMETERS = ['create', 'domain', 'share_title', 'share_text', 'share_url'] as const

/**
 * Opens the dialog for a new link with what the address has: a slug from a short URL without a link,
 * or what an app on the phone shares.
 */
export function useCreateFromAddress(): void {
  useEffect(() => {
    const url = new URL(location.href)
    const [slug, domain, title, ...shared] = CREATE_PARAMETERS.map((name) => url.searchParams.get(name))
    if (slug) {
      openCreateDialog({ slug, ...(domain && { domain }) })
      removeCreateParameters()
    } else if ([title, ...shared].some(Boolean))
      // If it cannot be loaded, a reload tries again.
      void import('./shared-content.ts').then(({ toNewLink }) => {
        openCreateDialog(toNewLink(title ?? '', shared))
        removeCreateParameters()
      })
  }, [])
}

/** A reload, or Back, must not open the dialog again. */
function removeCreateParameters(): void {
  const url = new URL(location.href)
  for (const name of CREATE_PARAMETERS) url.searchParams.delete(name)
  history.replaceState(history.state, '', url)
}

/** Opens the dialog for a new link when a URL is pasted outside a field. */
export function usePasteToCreate(): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if (isField(event.target) || isDialogOpen()) return
      const url = parseUrlInput(event.clipboardData?.getData('text/plain') ?? '')
      if (url === undefined) return
      event.preventDefault()
      openCreateDialog({ url })
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [])
}
