/** Where the view is: at the newest row, or with this row at this distance from its upper edge. */
export type Place = 'end' | { key: string; top: number; isAwaited?: true }

/** True while the row of the place is still being read. */
export const isAwaited = (place: Place) => place !== 'end' && place.isAwaited === true

/**
 * The place after what the user has scrolled since the last known position, whose event is still on
 * its way. At its end, the browser may have moved the list itself, because it became shorter.
 */
export function afterScroll(element: HTMLDivElement, place: Place, lastTop: number): Place {
  const scrolled = element.scrollTop - lastTop
  if (scrolled === 0 || belowView(element) < 1) return place
  return place === 'end' ? placeOf(element) : { key: place.key, top: place.top - scrolled }
}

export const belowView = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) =>
  scrollHeight - scrollTop - clientHeight

export const sizeOf = (element: HTMLDivElement) => `${element.scrollHeight} ${element.clientHeight}`

export const rowOf = (list: HTMLElement, key: string) =>
  list.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`)

/** Rows that stay when others are read above them. */
const LASTING_ROWS = '[data-row]:not(.day-line, .new-line)'

/**
 * The row in the middle of the view, and its distance from the upper edge. The first row in view may
 * lose its author's name when the message before it is read.
 */
export function placeOf(list: HTMLDivElement): Place {
  const center = list.scrollTop + list.clientHeight / 2
  const rows = list.querySelectorAll<HTMLElement>(LASTING_ROWS)
  let [low, high] = [0, rows.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rows[middle]
    if (row && row.offsetTop + row.offsetHeight > center) high = middle
    else low = middle + 1
  }
  const row = rows[low]
  return row ? { key: row.dataset['row'] ?? '', top: row.offsetTop - list.scrollTop } : 'end'
}

/** How far the newest message is: in view, nearby, or so far that a button leads there. */
export type Distance = 'end' | 'near' | 'far'

/** Heights of the view from which the newest message is far. */
const FAR_VIEWS = 2

export function distanceFrom(list: HTMLElement | null, place: Place, endsAtNewest: boolean): Distance {
  if (place === 'end' && endsAtNewest) return 'end'
  const isNear = list && belowView(list) <= FAR_VIEWS * list.clientHeight
  return isNear && endsAtNewest ? 'near' : 'far'
}
