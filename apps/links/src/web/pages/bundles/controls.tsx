import { NativeSelect, SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import { RangePicker, parseRange } from '../../parts/range.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

export const STATES = ['active', 'archived', 'all'] as const
const SORTS = ['created', 'name', 'clicks'] as const
const LAYOUTS = ['cards', 'list'] as const

/** The state of the page, in its address. */
export const DEFAULT_VIEW = { state: 'active', range: '', search: '', sort: 'created', view: 'cards' }
export type View = typeof DEFAULT_VIEW

export const sortOf = (view: View) => SORTS.find((sort) => sort === view.sort) ?? 'created'

interface Props {
  view: View
  change: (changes: Partial<View>, options?: { isTyping: boolean }) => void
  children: ReactNode
}

/** Search, state, range, order and layout of the list. */
export function Controls({ view, change, children }: Props) {
  const { t } = useText()
  const settings = useCall('settings', 'getSettings', {})
  return (
    <div className="list-tools">
      <SearchField
        label={t('bundles.find')}
        value={view.search}
        onSearch={(search) => change({ search }, { isTyping: true })}
      />
      <SegmentedControl
        aria-label={t('bundles.status')}
        size="xs"
        data={STATES.map((value) => ({ value, label: t(`bundles.${value}`) }))}
        value={view.state}
        onChange={(state) => change({ state })}
      />
      <RangePicker
        value={parseRange(view.range) ?? settings.data?.body.default_range}
        onChange={(range) => change({ range })}
      />
      <NativeSelect
        aria-label={t('bundles.sort')}
        size="xs"
        data={SORTS.map((value) => ({ value, label: t(`bundles.sort.${value}`) }))}
        value={sortOf(view)}
        onChange={({ currentTarget: { value: sort } }) => change({ sort })}
      />
      <SegmentedControl
        aria-label={t('bundles.layout')}
        size="xs"
        data={LAYOUTS.map((value) => ({ value, label: t(`bundles.layout.${value}`) }))}
        value={view.view}
        onChange={(layout) => change({ view: layout })}
      />
      {children}
    </div>
  )
}
