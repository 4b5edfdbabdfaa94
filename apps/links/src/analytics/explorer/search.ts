import { foldForSearch, searchWords } from '../../links/search.ts'
import type { Page } from './breakdowns.ts'
import type { AnalyticsBreakdown } from './schema.ts'

/** Values that a search reads at most, the most clicked first. */
export const MAX_SEARCHED = 10_000

type Item = AnalyticsBreakdown['items'][number]

/** Returns a page of the values that contain each word: of links and bundles, also in their names. */
export function searchBreakdown(
  { items }: AnalyticsBreakdown,
  search: string,
  { offset, limit }: Page,
): AnalyticsBreakdown {
  const words = searchWords(search)
  const matches = (items as readonly Item[]).filter((item) => {
    const text = textOf(item)
    return words.every((word) => text.includes(word))
  })
  return { items: matches.slice(offset, offset + limit), total: matches.length, unknown: 0 }
}

function textOf(item: Item): string {
  const texts = 'url' in item ? [item.slug, item.label, item.url] : ['label' in item ? item.label : item.name]
  return foldForSearch(texts.join('\n'))
}
