import { useRef } from 'react'
import type { Result } from '../../call.ts'

/** An instance with more links, such as imported ones, needs no introduction. */
const MAX_LINKS = 3

/** The number of links from which a first run is recognised. */
export const FIRST_RUN_LINKS = MAX_LINKS + 1

/**
 * Whether the dashboard shows the first steps: while none of the few links was clicked, and from
 * then on until the page is left.
 */
export function useFirstRun(links: Result<'listLinks'> | undefined): boolean {
  const wasFirstRun = useRef(false)
  wasFirstRun.current ||=
    links !== undefined && links.length <= MAX_LINKS && links.every(({ total_clicks }) => total_clicks === 0)
  return wasFirstRun.current
}
