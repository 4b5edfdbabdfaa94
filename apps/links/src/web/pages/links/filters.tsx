import { Button, Menu, UnstyledButton } from '@mantine/core'
import { IconFilter, IconX } from '@latchkey/web/icons'
import { useState } from 'react'
import { RangePicker, parseRange } from '../../parts/range.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useText } from '../../texts/text.ts'
import { useCall } from '../../queries.ts'
import { SavedViews } from './saved-views.tsx'
import { type Filter, useFilters } from './use-filters.ts'
import { type Change, type View, filterOf } from './view.ts'

interface Props {
  view: View
  change: Change
}

/** Search, filters and range of the list, and a chip for each filter. */
export function Filters({ view, change }: Props) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  const { data } = useCall('links', 'countLinks', { query: filterOf(view) }, isOpen)
  const counts = data?.body
  const filters = useFilters(view, { counts, hasBundles: isOpen })
  const active = filters.filter(({ isActive }) => isActive)
  return (
    <>
      <div className="list-tools">
        <SearchField
          id="link-search"
          label={t('links.search')}
          value={view.search}
          onSearch={(search) => change({ search }, { isTyping: true })}
        />
        <FilterMenu
          filters={filters.filter(({ key }) => key !== 'host')}
          isExact={counts?.exact !== false}
          change={change}
          onOpen={setOpen}
        />
        <SavedViews view={view} setView={(next) => change(next)} />
        <RangePicker value={parseRange(view.range)} onChange={(range) => change({ range })} />
      </div>
      {active.length > 0 && (
        <div className="chips">
          {active.map((filter) => (
            <Chip key={filter.key} filter={filter} change={change} />
          ))}
        </div>
      )}
    </>
  )
}

interface MenuProps {
  filters: readonly Filter[]
  /** False if the numbers are lower bounds. */
  isExact: boolean
  change: Change
  onOpen: (isOpen: boolean) => void
}

function FilterMenu({ filters, isExact, change, onOpen }: MenuProps) {
  const { t, number } = useText()
  const groups = Map.groupBy(filters, ({ group }) => group)
  return (
    <Menu position="bottom-start" width={300} onChange={onOpen}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />}>
          {t('links.filter')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className="filter-menu">
        {[...groups].map(([group, items]) => (
          <div key={group} role="group" aria-label={group}>
            <Menu.Label>{group}</Menu.Label>
            {items.map(({ key, label, isActive, count, set, clear }) => (
              <Menu.CheckboxItem
                key={key}
                checked={isActive}
                closeMenuOnClick
                onChange={() => change(isActive ? clear : set)}
                rightSection={
                  count !== undefined && (
                    <span className="filter-count">
                      {number(count)}
                      {!isExact && '+'}
                    </span>
                  )
                }
              >
                {label}
              </Menu.CheckboxItem>
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Chip({ filter: { group, label, clear }, change }: { filter: Filter; change: Change }) {
  const { t } = useText()
  return (
    <UnstyledButton
      className="chip"
      aria-label={t('links.removeFilter', { name: `${group}: ${label}` })}
      onClick={() => {
        change(clear)
        // The chip disappears, and the focus would be lost with it.
        document.querySelector<HTMLElement>('#link-search')?.focus()
      }}
    >
      <span className="chip-group">{group}</span> {label}
      <IconX size={14} aria-hidden />
    </UnstyledButton>
  )
}
