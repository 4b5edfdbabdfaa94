import {
  IconChartBar,
  IconFolders,
  IconHistory,
  IconKey,
  IconLink,
  IconListCheck,
  IconSettings,
  IconTransfer,
  IconWebhook,
} from '@latchkey/web/icons'
import { lazyPage } from '@latchkey/web/lazy-page'
import type { DetailPage, Page } from '@latchkey/web/pages'
import { addTexts } from '@latchkey/web/texts'
import type { TextKey } from './texts/text.ts'

const LinkPage = lazyPage(() => import('./pages/link/page.tsx'))
const PlanPage = lazyPage(() => import('./pages/plan/page.tsx'))
const BundlePage = lazyPage(() => import('./pages/bundle/page.tsx'))

/** Every page is in the navigation. */
interface NavigationPage extends Page {
  title: TextKey
  icon: NonNullable<Page['icon']>
}

/** The pages in the order of the navigation. Each is bundled as a separate file. */
export const pages: readonly NavigationPage[] = [
  {
    path: '/dashboard',
    title: 'nav.dashboard',
    icon: IconChartBar,
    show: lazyPage(() => import('./pages/dashboard/page.tsx')),
  },
  {
    path: '/links',
    title: 'nav.links',
    icon: IconLink,
    show: lazyPage(() => import('./pages/links/page.tsx')),
  },
  {
    path: '/bundles',
    title: 'nav.bundles',
    icon: IconFolders,
    show: lazyPage(() => import('./pages/bundles/page.tsx')),
  },
  { path: '/keys', title: 'nav.keys', icon: IconKey, show: lazyPage(() => import('./pages/keys/page.tsx')) },
  {
    path: '/webhooks',
    title: 'nav.webhooks',
    icon: IconWebhook,
    show: lazyPage(() => import('./pages/webhooks/page.tsx')),
  },
  {
    path: '/plans',
    title: 'nav.plans',
    icon: IconListCheck,
    show: lazyPage(() => import('./pages/plans/page.tsx')),
  },
  {
    path: '/history',
    title: 'nav.history',
    icon: IconHistory,
    show: lazyPage(() => import('./pages/history/page.tsx')),
  },
  {
    path: '/import-export',
    title: 'nav.importExport',
    icon: IconTransfer,
    show: lazyPage(() => import('./pages/import-export/page.tsx')),
  },
  {
    path: '/settings',
    title: 'nav.settings',
    icon: IconSettings,
    show: lazyPage(async () => {
      const page = await import('./pages/settings/page.tsx')
      await addTexts(page.habitTexts)
      return page
    }),
  },
]

export const detailPages: readonly DetailPage[] = [
  { pattern: /^\/links\/(\d{1,15})$/, load: LinkPage.load, show: (id) => <LinkPage id={Number(id)} /> },
  { pattern: /^\/plans\/(\d{1,15})$/, load: PlanPage.load, show: (id) => <PlanPage id={Number(id)} /> },
  { pattern: /^\/bundles\/(\d{1,15})$/, load: BundlePage.load, show: (id) => <BundlePage id={Number(id)} /> },
]
