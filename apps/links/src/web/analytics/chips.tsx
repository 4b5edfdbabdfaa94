import { Button, CloseButton, Group, Text } from '@mantine/core'
import type { ExplorerDimension } from '../../analytics/explorer/dimensions.ts'
import type { Result } from '../call.ts'
import { keyName } from '../parts/short-url.ts'
import { useText } from '../texts/text.ts'
import type { ViewControls } from './use-view.ts'
import { useValueNames } from './value-names.ts'
import { type Filter, isId } from './view.ts'

type Stats = Result<'getAnalytics'>

/** Names a filter. Links and bundles have the names that the statistics have for their ids. */
function useFilterNames(stats: Stats | undefined): (filter: Filter) => string {
  const { t } = useText()
  const nameOf = useValueNames()
  return ({ dimension, value }) => {
    if (!isId(dimension)) return nameOf(dimension, value)
    const link =
      dimension === 'link' ? stats?.breakdowns.link.items.find(({ name }) => name === value) : undefined
    const bundle =
      dimension === 'bundle' ? stats?.breakdowns.bundle.items.find(({ name }) => name === value) : undefined
    return link?.label ?? (link && keyName(link.slug)) ?? bundle?.label ?? t('analytics.id', { id: value })
  }
}

interface Props extends Pick<ViewControls, 'view' | 'change' | 'toggle'> {
  stats: Stats | undefined
}

/** The filters of a view, each with a button that removes it. Renders nothing without filters. */
export function FilterChips({ view, change, toggle, stats }: Props) {
  const { t } = useText()
  const nameOf = useFilterNames(stats)
  if (view.filters.length === 0) return null
  return (
    <Group gap="sm" component="ul" className="plain" aria-label={t('analytics.filters')}>
      {view.filters.map((filter) => (
        <Chip
          key={`${filter.dimension}=${filter.value}`}
          dimension={filter.dimension}
          name={nameOf(filter)}
          onRemove={() => toggle(filter)}
        />
      ))}
      {view.filters.length > 1 && (
        <li>
          <Button variant="subtle" size="compact-sm" onClick={() => change({ filters: [] })}>
            {t('analytics.clear')}
          </Button>
        </li>
      )}
    </Group>
  )
}

interface ChipProps {
  dimension: ExplorerDimension
  name: string
  onRemove: () => void
}

function Chip({ dimension, name, onRemove }: ChipProps) {
  const { t } = useText()
  return (
    <li className="chip">
      <Text size="sm" truncate title={name}>
        <Text span inherit c="dimmed">
          {t(`filter.${dimension}`)}:
        </Text>{' '}
        <bdi>{name}</bdi>
      </Text>
      <CloseButton size="sm" aria-label={t('analytics.removeFilter', { name })} onClick={onRemove} />
    </li>
  )
}
