import { setTitleCount } from '@latchkey/web/page-title'

/** A dot in the corner of the mark, whose view box is 32 units wide. */
const DOT = '<circle cx="25" cy="7" r="7" fill="#e03131" stroke="#fff" stroke-width="2"/></svg>'

const counts = { room: 0, others: 0 }
let icon: string | undefined

/**
 * Counts what is new in the title of the tab, on its icon and on that of the installed app: in the
 * open room, and in the others.
 */
export function setBadge(part: keyof typeof counts, count: number): void {
  counts[part] = count
  const sum = counts.room + counts.others
  setTitleCount(sum)
  drawIcon(sum > 0)
  // Browsers without installed apps lack it.
  const badge = sum > 0 ? navigator.setAppBadge?.(sum) : navigator.clearAppBadge?.()
  badge?.catch(() => {})
}

function drawIcon(hasDot: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  if (!link) return
  icon ??= link.href
  link.href = hasDot ? icon.replace(encodeURIComponent('</svg>'), encodeURIComponent(DOT)) : icon
}
