import type { Icon } from './icons.ts'
import type { ComponentType, ReactNode } from 'react'

/** A page with its own path. Titles are keys of texts. */
export interface Page {
  path: string
  /** Base path of its detail pages, if not its own path. */
  above?: string
  title: string
  /** Icon in the navigation. A page without one is not listed there. */
  icon?: Icon
  /** True for a page that stands for the product, such as the sign-in: with its mark. */
  hasMark?: boolean
  /** `lazy(() => import(…))`, which makes each page a separate file of the bundle. */
  show: ComponentType
}

/**
 * A page about one item, which the group in its pattern identifies. It renders `PageHeading`
 * itself, with the name of the item.
 */
export interface DetailPage {
  pattern: RegExp
  show(id: string): ReactNode
}
