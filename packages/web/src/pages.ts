import type { Icon } from './icons.ts'
import type { ComponentType, ReactNode } from 'react'

/** A page with an address of its own. Its titles are keys of texts. */
export interface Page {
  path: string
  /** Where its single things have their addresses, unless below its own. */
  above?: string
  title: string
  /** Without one the page is not in the navigation. */
  icon?: Icon
  /** `lazy(() => import(…))`, so that each page is a file of its own in the bundle. */
  show: ComponentType
}

/** A page about one thing, which the group in its pattern names. It shows `PageHeading` itself, with the thing's own name. */
export interface DetailPage {
  pattern: RegExp
  show(id: string): ReactNode
}
