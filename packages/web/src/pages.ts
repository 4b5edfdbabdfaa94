import type { Icon } from './icons.ts'
import type { ComponentType, ReactNode } from 'react'

interface LoadedAhead {
  /** Resolves when the page can be rendered at once. Rejects if its file cannot be loaded. */
  load(): Promise<unknown>
}

/** A page with its own path. Titles are keys of texts. */
export interface Page {
  path: string
  /** Base path of its detail pages, if not its own path. */
  above?: string
  title: string
  /** Icon in the navigation. A page without one is not listed there. */
  icon?: Icon
  /** True for a page that renders `PageHeading` itself. */
  hasOwnHeading?: boolean
  /** Component of the page: from `lazyPage`, or one that is loaded already. */
  show: ComponentType & Partial<LoadedAhead>
}

/**
 * A page about one item, which the group in its pattern identifies. It renders `PageHeading`
 * itself, with the name of the item.
 */
export interface DetailPage extends Partial<LoadedAhead> {
  pattern: RegExp
  show(id: string): ReactNode
}

/** Loads the page at a path ahead, so that it is rendered at once. A failure shows when it is rendered. */
export async function preloadPage(
  path: string,
  { pages, details }: { pages: readonly Page[]; details: readonly DetailPage[] },
): Promise<void> {
  const page =
    details.find(({ pattern }) => pattern.test(path)) ?? pages.find((listed) => listed.path === path)?.show
  await page?.load?.().catch(() => {})
}
