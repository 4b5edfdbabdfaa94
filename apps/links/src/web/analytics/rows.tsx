import { ActionIcon, Text } from '@mantine/core'
import { IconArrowUpRight } from '@latchkey/web/icons'
import type { CSSProperties, ReactNode } from 'react'
import { Link } from 'wouter'
import type { ExplorerDimension } from '../../analytics/explorer/dimensions.ts'
import type { Result } from '../call.ts'
import { BundleDot } from '../parts/bundle-chip.tsx'
import { Favicon, useFavicons } from '../parts/favicon.tsx'
import { Initials } from '../parts/initials.tsx'
import { Mark } from '../parts/mark.tsx'
import { keyName } from '../parts/short-url.ts'
import { useText } from '../texts/text.ts'
import type { ViewControls } from './use-view.ts'
import { useValueNames } from './value-names.ts'
import { type Filter, isSameFilter } from './view.ts'

export type Breakdown = Result<'getAnalyticsBreakdown'>

/** Pages of the values that have one. */
const PAGES: Partial<Record<ExplorerDimension, string>> = { link: '/links', bundle: '/bundles' }

interface RowsProps extends Pick<ViewControls, 'view' | 'toggle'> {
  dimension: ExplorerDimension
  breakdown: Pick<Breakdown, 'items' | 'unknown'>
  /** Clicks of the view, of which the shares are parts. */
  clicks: number
  /** Leaves out the clicks without a value, on pages after the first. */
  isContinued?: boolean
}

/** Values of a dimension with their clicks. Each is a button that filters by it. */
export function Rows({ dimension, breakdown, clicks, view, toggle, isContinued = false }: RowsProps) {
  const { t } = useText()
  const nameOf = useValueNames()
  const signOf = useSigns(dimension, breakdown.items)
  const rows: RowProps[] = breakdown.items.map((item) => ({
    filter: { dimension, value: item.name },
    name: displayName(item) ?? nameOf(dimension, item.name),
    sign: signOf(item),
    count: item.count,
    href: PAGES[dimension] && `${PAGES[dimension]}/${item.name}`,
  }))
  // A filter by an id has no empty value.
  if (breakdown.unknown > 0 && !isContinued && !(dimension in PAGES))
    rows.push({
      filter: { dimension, value: '' },
      name: nameOf(dimension, ''),
      sign: <Mark dimension={dimension} value="" />,
      count: breakdown.unknown,
    })
  if (rows.length === 0)
    return (
      <Text c="dimmed" size="sm" py="lg" ta="center">
        {t('ranking.none')}
      </Text>
    )
  return (
    <ol className="rows">
      {rows.map((row) => (
        <Row
          key={row.filter.value}
          {...row}
          share={clicks === 0 ? 0 : row.count / clicks}
          isSet={view.filters.some((filter) => isSameFilter(filter, row.filter))}
          onToggle={() => toggle(row.filter)}
        />
      ))}
    </ol>
  )
}

type Item = Breakdown['items'][number]

function displayName(item: Item): string | undefined {
  if ('slug' in item) return item.label ?? keyName(item.slug)
  return 'accent' in item ? item.label : undefined
}

/** Signs beside the names of values: marks, icons of destinations and sites, dots of bundles. */
function useSigns(dimension: ExplorerDimension, items: readonly Item[]): (item: Item) => ReactNode {
  const iconOf = useFavicons(items.flatMap((item) => ('url' in item ? item.url : [])))
  return (item) => {
    if ('url' in item) return <Favicon src={iconOf(item.url)} url={item.url} />
    if ('accent' in item) return <BundleDot {...item} />
    if (dimension === 'referrer_host') return <Initials name={item.name} isSquare />
    return <Mark dimension={dimension} value={item.name} />
  }
}

interface RowProps {
  filter: Filter
  name: string
  count: number
  sign?: ReactNode
  href?: string | undefined
}

interface RowState {
  share: number
  isSet: boolean
  onToggle: () => void
}

function Row({ name, sign, count, href, share: part, isSet, onToggle }: RowProps & RowState) {
  const { t, number, share } = useText()
  return (
    <li className="row" style={{ '--share': Math.min(1, part) } as CSSProperties}>
      <button type="button" className="row-button" aria-pressed={isSet} title={name} onClick={onToggle}>
        {sign}
        <bdi className="row-name">{name}</bdi>
        <Count>{number(count)}</Count>
        <Count isShare>{share(part)}</Count>
      </button>
      {href !== undefined && (
        <ActionIcon
          component={Link}
          href={href}
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t('analytics.open', { name })}
        >
          <IconArrowUpRight size={15} aria-hidden />
        </ActionIcon>
      )}
    </li>
  )
}

function Count({ isShare = false, children }: { isShare?: boolean; children: ReactNode }) {
  return (
    <span className="row-number" data-share={isShare || undefined}>
      {' '}
      {children}
    </span>
  )
}
