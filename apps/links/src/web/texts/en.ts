import type { TextKey as KeyOf } from '@latchkey/web/texts'
import { en as bundles } from './areas/bundles.ts'
import { en as keys } from './areas/keys.ts'
import { en as settings } from './areas/settings.ts'
import { en as transfer } from './areas/transfer.ts'
import { en as dashboard } from './areas/dashboard.ts'
import { en as failures } from './areas/failures.ts'
import { en as figures } from './areas/figures.ts'
import { en as link } from './areas/link.ts'
import { en as links } from './areas/links.ts'

/** Every string of the pages. Flat keys; plural forms end in `_one` and `_other`. */
export const en = {
  ...keys,
  ...settings,
  ...transfer,
  ...bundles,
  ...dashboard,
  ...failures,
  ...figures,
  ...link,
  ...links,
  'app.name': 'Latchkey Links',
  'nav.dashboard': 'Dashboard',
  'nav.links': 'Links',
  'nav.bundles': 'Bundles',
  'nav.keys': 'API keys',
  'nav.importExport': 'Import and export',
  'nav.settings': 'Settings',
  'shell.search': 'Search pages and actions',
  'shell.noCommand': 'Nothing by that name',
  'page.toDashboard': 'Go to the dashboard',
  'undo.deleted_one': '{{count}} link is being deleted',
  'undo.deleted_other': '{{count}} links are being deleted',
  'range.label': 'Range',
  'range.24h': '24H',
  'range.7d': '7D',
  'range.30d': '30D',
  'range.90d': '90D',
  'range.1y': '1Y',
  'range.all': 'All',
  'links.url': 'URL to shorten',
  'links.label': 'Label',
  'links.slug': 'Custom slug',
  'links.expires': 'Expires',
  'links.create': 'Shorten',
  'links.created': 'Short link made',
  'links.search': 'Search label, slug, URL or owner',
  'links.status': 'State',
  'links.active': 'Active',
  'links.disabled': 'Disabled',
  'links.expired': 'Expired',
  'links.all': 'All',
  'links.sort': 'Sort',
  'links.recent': 'Recent',
  'links.popular': 'Popular',
  'links.link': 'Link',
  'links.short': 'Short URL',
  'links.clicks': 'Clicks',
  'links.createdAt': 'Created',
  'links.change': 'Change',
  'links.select': 'Select {{name}}',
  'links.selectAll': 'Select all on this page',
  'links.selected_one': '{{count}} selected',
  'links.selected_other': '{{count}} selected',
  'links.delete': 'Delete',
  'links.disable': 'Disable',
  'links.enable': 'Enable',
  'links.none': 'No links yet',
  'links.noneHelp': 'Paste a URL above to make the first one.',
  'links.noneFound': 'No links match',
  'links.noneFoundHelp': 'Try other words, or show all states.',
  'links.clear': 'Clear search and filters',
  'links.perPage': 'Links a page',
  'links.fromTo': '{{from}}–{{to}} of {{total}}',
  'links.pages': 'Pages of links',
  'chart.table': 'Show as table',
  'chart.chart': 'Show as chart',
  'chart.when': 'When',
} as const

export type TextKey = KeyOf<typeof en>
export type Texts = Readonly<Record<keyof typeof en, string>>
