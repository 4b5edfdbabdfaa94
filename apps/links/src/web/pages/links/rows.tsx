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
  change: (by: string) => void
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
          <Table.Th>{t('links.link')}</Table.Th>
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

function SortHead({ name, width, sorting }: { name: 'created' | 'clicks'; width: number; sorting: Sorting }) {
  const { t } = useText()
  const isSorted = sorting.by === name
  return (
    <Table.Th w={width} ta="right" aria-sort={isSorted ? 'descending' : 'none'}>
      <UnstyledButton className="sort-head" mod={{ sorted: isSorted }} onClick={() => sorting.change(name)}>
        {isSorted && <IconArrowDown size={13} aria-hidden />}
        {t(`links.sort.${name}`)}
      </UnstyledButton>
    </Table.Th>
  )
}
