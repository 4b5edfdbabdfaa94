import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { type AnalyticsView, type Filter, formatView, isSameFilter, parseView } from './view.ts'

export interface ViewControls {
  view: AnalyticsView
  change: (changes: Partial<AnalyticsView>) => void
  /** Adds the filter, or removes it if it is set. */
  toggle: (filter: Filter) => void
}

/** View in the address of the page. Each change is a step in the history, which Back undoes. */
export function useAnalyticsView(): ViewControls {
  const current = useSearch()
  const [path, go] = useLocation()
  const view = parseView(current)
  const change = (changes: Partial<AnalyticsView>) => {
    const next = formatView({ ...view, ...changes })
    if (next !== formatView(view)) go(next === '' ? path : `${path}?${next}`)
  }
  const toggle = (filter: Filter) => {
    const others = view.filters.filter((other) => !isSameFilter(other, filter))
    change({ filters: others.length < view.filters.length ? others : [...others, filter] })
  }
  return { view, change, toggle }
}
