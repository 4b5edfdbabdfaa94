import type { ExplorerDimension } from '../../analytics/explorer/dimensions.ts'

/** Dimensions whose values have a mark in `marks.css`. */
const MARKED: readonly ExplorerDimension[] = ['device', 'browser', 'os', 'channel', 'link_mode']

interface Props {
  dimension: ExplorerDimension
  /** Empty for clicks without a value. */
  value: string
}

/**
 * Mark of a value, beside its name: the code of a country, because not every system draws flags, and
 * a drawing for devices, browsers, systems and channels. Renders nothing for other dimensions.
 */
export function Mark({ dimension, value }: Props) {
  if (dimension === 'country')
    return (
      <span className="country-code" aria-hidden>
        {value || '–'}
      </span>
    )
  if (dimension === 'referrer_host' && value === '') return <Mark dimension="channel" value="direct" />
  if (!MARKED.includes(dimension)) return null
  return <span className="mark" data-mark={`${dimension} ${value}`} aria-hidden />
}
