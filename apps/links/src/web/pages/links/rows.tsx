import { Checkbox, Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown } from '@latchkey/web/icons'
import { useMediaQuery } from '@mantine/hooks'
import { me } from '../../me.ts'
import { Delta } from '../../parts/delta.tsx'
import { Favicon, faviconAddresses } from '../../parts/favicon.tsx'
import { primarySlug } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import { CopySlug } from './copy-slug.tsx'
import type { LinkRow } from './link-table.tsx'
import { Marked } from './marked.tsx'
import { CreatedAt, Destination, Label } from './cells.tsx'
import { RowActions, type RowActionHandlers } from './row-actions.tsx'
import { StateNote } from './state-note.tsx'

export interface Sorting {
  by: string
  order: string
  change: (by: string, order: string) => void
}

interface Props {
  rows: readonly LinkRow[]
  selected: readonly number[]
  select: (ids: readonly number[]) => void
  search: string
  sorting: Sorting
  actions: RowActionHandlers
}

/** Below these widths, the values of columns are below the short URL. */
const WITH_LABELS = '(min-width: 62em)'
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
  const icons = faviconAddresses(rows)
  const toggle = (id: number) =>
    select(selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id])
  return (
    <Table className="link-table" layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={44}>
            <Checkbox
              aria-label={t('links.selectAll')}
              checked={all}
              indeterminate={selected.length > 0 && !all}
              onChange={() => select(all ? [] : rows.map(({ id }) => id))}
            />
          </Table.Th>
          <SortHead name="slug" sorting={sorting} />
          {columns.hasLabel && <Table.Th w="30%">{t('links.label')}</Table.Th>}
          {columns.hasDate && <SortHead name="created" width={124} sorting={sorting} />}
          <SortHead name="clicks" width={columns.hasDate ? 108 : 76} sorting={sorting} />
          <Table.Th w={48}>
            <VisuallyHidden>{t('links.actions')}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((link) => (
          <Table.Tr key={link.id} data-selected={selected.includes(link.id) || undefined}>
            <Table.Td>
              <Checkbox
                aria-label={t('links.select', { name: link.label ?? primarySlug(link) })}
                checked={selected.includes(link.id)}
                onChange={() => toggle(link.id)}
              />
            </Table.Td>
            <LinkCells link={link} search={search} columns={columns} icon={icons.get(link.id)} />
            <Table.Td className="row-actions-cell">
              <RowActions link={link} actions={actions} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

interface CellsProps {
  link: LinkRow
  search: string
  columns: Columns
  icon: string | undefined
}

function LinkCells({ link, search, columns: { hasLabel, hasDate }, icon }: CellsProps) {
  const { number } = useText()
  return (
    <>
      <Table.Td>
        <div className="link-cell">
          <Favicon src={icon} />
          <div className="link-cell-text">
            <div className="link-cell-line">
              <CopySlug link={link} search={search} />
              <StateNote link={link} />
            </div>
            {!hasLabel && <Label link={link} search={search} />}
            <Destination link={link} search={search} />
            {!hasDate && <CreatedAt link={link} search={search} />}
          </div>
        </div>
      </Table.Td>
      {hasLabel && (
        <Table.Td>
          <Label link={link} search={search} />
          {link.created_by !== me.identity && (
            <div className="link-owner" title={link.created_by}>
              <Marked text={link.created_by} search={search} />
            </div>
          )}
        </Table.Td>
      )}
      {hasDate && (
        <Table.Td ta="right">
          <CreatedAt link={link} search={search} withOwner={!hasLabel} />
        </Table.Td>
      )}
      <Table.Td ta="right">
        <span className="link-clicks">{number(link.total_clicks)}</span>
        <Delta value={link.delta_pct} />
      </Table.Td>
    </>
  )
}

/** Orders of the heads. Lists by clicks always begin with the most. */
const ORDERS = { slug: ['asc', 'desc'], created: ['desc', 'asc'], clicks: ['desc'] } as const

interface SortHeadProps {
  name: keyof typeof ORDERS
  width?: number
  sorting: Sorting
}

/** Sorts by a column. The sorted column is turned around, if it can be. */
function SortHead({ name, width, sorting }: SortHeadProps) {
  const { t } = useText()
  const [first, other] = ORDERS[name]
  const isSorted = sorting.by === name
  const order = isSorted ? sorting.order || first : 'none'
  const next = isSorted && order === first && other ? other : ''
  const sortStates = { asc: 'ascending', desc: 'descending', none: 'none' } as const
  return (
    <Table.Th
      {...(width !== undefined && { w: width, ta: 'right' })}
      aria-sort={sortStates[order as keyof typeof sortStates]}
    >
      <UnstyledButton
        className="sort-head"
        mod={{ sorted: isSorted, start: width === undefined }}
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
