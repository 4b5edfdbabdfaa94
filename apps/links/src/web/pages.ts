import { IconChartBar, IconFolders, IconKey, IconLink, IconSettings, IconTransfer } from '@tabler/icons-react'
import { type ComponentType, lazy } from 'react'
import type { TextKey } from './texts/en.ts'

interface Page {
  path: string
  title: TextKey
  icon: typeof IconLink
  show: ComponentType
}

/** A page about one thing. It shows `PageHeading` itself, with the thing's own name. */
interface DetailPage {
  pattern: RegExp
  show: ComponentType<{ id: number }>
}

/** The pages in the order of the navigation; each is a file of its own in the bundle. */
export const pages: readonly Page[] = [
  {
    path: '/dashboard',
    title: 'nav.dashboard',
    icon: IconChartBar,
    show: lazy(() => import('./pages/dashboard.tsx')),
  },
  { path: '/links', title: 'nav.links', icon: IconLink, show: lazy(() => import('./pages/links.tsx')) },
  {
    path: '/bundles',
    title: 'nav.bundles',
    icon: IconFolders,
    show: lazy(() => import('./pages/bundles.tsx')),
  },
  { path: '/keys', title: 'nav.keys', icon: IconKey, show: lazy(() => import('./pages/keys.tsx')) },
  {
    path: '/import-export',
    title: 'nav.importExport',
    icon: IconTransfer,
    show: lazy(() => import('./pages/import-export.tsx')),
  },
  {
    path: '/settings',
    title: 'nav.settings',
    icon: IconSettings,
    show: lazy(() => import('./pages/settings.tsx')),
  },
]

export const detailPages: readonly DetailPage[] = [
  { pattern: /^\/links\/(\d{1,15})$/, show: lazy(() => import('./pages/link.tsx')) },
  { pattern: /^\/bundles\/(\d{1,15})$/, show: lazy(() => import('./pages/bundle.tsx')) },
]
