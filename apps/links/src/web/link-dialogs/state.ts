import { useSyncExternalStore } from 'react'
import type { Link } from '../pages/link/link.ts'

/** Values that a new link starts with. */
export type InitialValues = Readonly<{
  url?: string
  label?: string
  slug?: string
  domain?: string
}>

/** A dialog that any page can open. */
export type LinkDialogState =
  | { about: 'create'; initial: InitialValues }
  | { about: 'edit'; link: Link }
  | { about: 'qr'; link: Link }

let current: LinkDialogState | null = null
const listeners = new Set<() => void>()

function show(next: LinkDialogState | null) {
  current = next
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void) {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

export const useLinkDialog = () => useSyncExternalStore(subscribe, () => current)

/** Opens the dialog for a new link, with these values if there are any. */
export const openCreateDialog = (initial: InitialValues = {}) => show({ about: 'create', initial })
export const openEditDialog = (link: Link) => show({ about: 'edit', link })
export const openQrDialog = (link: Link) => show({ about: 'qr', link })
export const closeLinkDialog = () => show(null)
