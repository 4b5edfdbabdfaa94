import { Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown } from '@latchkey/web/icons'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { Delta } from '../../parts/delta.tsx'
import { Favicon, useFavicons } from '../../parts/favicon.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { primarySlug } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import { CopySlug } from './copy-slug.tsx'
import type { ListedLink } from './types.ts'
import { BundleNames, CreatedAt, Destination, Label } from './cells.tsx'
import { RowActions, type RowActionHandlers } from './row-actions.tsx'
import { BehaviourSign } from './behaviour-sign.tsx'
import { StateNote } from './state-note.tsx'

export interface Sorting {
  by: string
  order: string
  change: (by: string, order: string) => void
}

interface Props {
  rows: readonly ListedLink[]
  selected: readonly number[]
  select: (ids: readonly number[]) => void
  search: string
  sorting: Sorting
  actions: RowActionHandlers
}

/** Below these widths, the values of columns are beside or below the short URL. */
const WITH_LABELS = '(min-width: 75em)'
const WITH_DATES = '(min-width: 48em)'

export interface Columns {
  hasLabel: boolean
  hasDate: boolean
}

export function Rows({ rows, selected, select, search, sorting, actions }: Props) {
  const { t } = useText()
  const once = { getInitialValueInEffect: false }
  const columns: Columns = {
    hasLabel: useMediaQuery(WITH_LABELS, false, once),
    hasDate: useMediaQuery(WITH_DATES, false, once),
  }
  const all = rows.length > 0 && selected.length === rows.length
  const iconOf = useFavicons(rows.map(({ url }) => url))
  const toggle = (id: number) =>
    select(selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id])
  return (
    <Table className="link-table" layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={44}>
            <input
              type="checkbox"
              className="checkbox"
              aria-label={t('links.selectAll')}
              checked={all}
              ref={(box) => {
                if (box) box.indeterminate = selected.length > 0 && !all
              }}
              onChange={() => select(all ? [] : rows.map(({ id }) => id))}
            />
          </Table.Th>
          <SortHead name="slug" sorting={sorting} />
          {columns.hasLabel && <Table.Th w="34%">{t('links.label')}</Table.Th>}
          {columns.hasDate && (
            <SortHead name="created" width={columns.hasLabel ? 160 : 132} sorting={sorting} />
          )}
          {columns.hasDate && (
            <Table.Th w={96}>
              <VisuallyHidden>{t('links.trend')}</VisuallyHidden>
            </Table.Th>
          )}
          <SortHead name="clicks" width={76} sorting={sorting} isNumber />
          <Table.Th w={48}>
            <VisuallyHidden>{t('links.actions')}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((link) => (
          <Row
            key={link.id}
            link={link}
            isSelected={selected.includes(link.id)}
            toggle={() => toggle(link.id)}
            {...{ search, columns, actions }}
            icon={iconOf(link.url)}
          />
        ))}
      </Table.Tbody>
    </Table>
  )
}

interface RowProps extends CellsProps {
  isSelected: boolean
  toggle: () => void
  actions: RowActionHandlers
}

/** Renders plain elements: components of Mantine took half of the time in which the list rendered. */
function Row({ isSelected, toggle, actions, ...cells }: RowProps) {
  const { t } = useText()
  const [isHovered, setHovered] = useState(false)
  const { link } = cells
  return (
    <tr
      data-selected={isSelected || undefined}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      <td>
        <input
          type="checkbox"
          className="checkbox"
          aria-label={t('links.select', { name: link.label ?? primarySlug(link) })}
          checked={isSelected}
          onChange={toggle}
        />
      </td>
      <LinkCells {...cells} />
      <td className="row-actions-cell">
        <RowActions link={link} actions={actions} isHovered={isHovered} />
      </td>
    </tr>
  )
}

interface CellsProps {
  link: ListedLink
  search: string
  columns: Columns
  icon: string | undefined
}

function LinkCells({ link, search, columns: { hasLabel, hasDate }, icon }: CellsProps) {
  const { t, number } = useText()
  return (
    <>
      <td>
        <div className="link-cell">
          <Favicon src={icon} url={link.url} />
          <div className="link-cell-text">
            <div className="link-cell-line">
              <CopySlug link={link} search={search} />
              <StateNote link={link} />
              <BehaviourSign parts={link.behaviour} />
              {!hasLabel && hasDate && <Label link={link} search={search} />}
            </div>
            {!hasDate && <Label link={link} search={search} />}
            <div className="link-cell-line">
              <Destination link={link} search={search} />
              {!hasLabel && hasDate && <BundleNames bundles={link.bundles} />}
            </div>
            {!hasDate && (
              <>
                <BundleNames bundles={link.bundles} />
                <CreatedAt link={link} search={search} />
              </>
            )}
          </div>
        </div>
      </td>
      {hasLabel && (
        <td>
          <Label link={link} search={search} />
          <BundleNames bundles={link.bundles} />
        </td>
      )}
      {hasDate && (
        <>
          <td>
            <CreatedAt link={link} search={search} />
          </td>
          <td title={t('links.trend')}>{link.trend && <Sparkline counts={link.trend} />}</td>
        </>
      )}
      <td className="figure-cell">
        <span className="link-clicks">{number(link.total_clicks)}</span>
        <Delta value={link.delta_pct} />
      </td>
    </>
  )
}

/** Orders of the heads. Lists by clicks always begin with the most. */
const ORDERS = { slug: ['asc', 'desc'], created: ['desc', 'asc'], clicks: ['desc'] } as const

interface SortHeadProps {
  name: keyof typeof ORDERS
  width?: number
  isNumber?: boolean
  sorting: Sorting
}

/** Sorts by a column. The sorted column is turned around, if it can be. */
function SortHead({ name, width, isNumber = false, sorting }: SortHeadProps) {
  const { t } = useText()
  const [first, other] = ORDERS[name]
  const isSorted = sorting.by === name
  const order = isSorted ? sorting.order || first : 'none'
  const next = isSorted && order === first && other ? other : ''
  const sortStates = { asc: 'ascending', desc: 'descending', none: 'none' } as const
  return (
    <Table.Th
      {...(width !== undefined && { w: width })}
      {...(isNumber && { ta: 'right' })}
      aria-sort={sortStates[order as keyof typeof sortStates]}
    >
      <UnstyledButton
        className="sort-head"
        mod={{ sorted: isSorted, start: !isNumber }}
        onClick={() => sorting.change(name, next)}
      >
        {isSorted && (
          <IconArrowDown size={13} aria-hidden className={order === 'asc' ? 'flipped' : undefined} />
        )}
        {t(`links.sort.${name}`)}
      </UnstyledButton>
    </Table.Th>
  )
}
