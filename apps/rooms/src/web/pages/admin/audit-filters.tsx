import { Button, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { AUDIT_ACTIONS } from '../../../audit/actions.ts'
import { useText } from '../../texts/text.ts'
import { RoomPicker, UserPicker } from './entity-picker.tsx'

/**
 * Filters of the audit log. Empty strings match everything. `before` is a local time of this
 * browser.
 */
export const NO_FILTER = { action: '', actorUserId: '', targetType: '', targetId: '', before: '' } as const
type Filter = Record<keyof typeof NO_FILTER, string>

interface Props {
  filter: Filter
  onFilter: (changes: Partial<Filter>) => void
}

/** Filters of the audit log. Each change applies at once. */
export function AuditFilters({ filter, onFilter }: Props) {
  const { t } = useText()
  const all = { value: '', label: t('audit.all') }
  const actions = AUDIT_ACTIONS.map((value) => ({ value, label: t(`audit.${value}`) }))
  const target = (targetType: 'room' | 'user') => ({
    value: filter.targetType === targetType ? filter.targetId : '',
    onChange: (targetId: string) => onFilter({ targetId, targetType: targetId === '' ? '' : targetType }),
  })
  return (
    <SimpleGrid
      component="search"
      aria-label={t('audit.filters')}
      cols={{ base: 1, xs: 2, lg: 3 }}
      spacing="sm"
    >
      <NativeSelect
        label={t('audit.action')}
        data={[all, ...actions]}
        value={filter.action}
        onChange={({ currentTarget }) => onFilter({ action: currentTarget.value })}
      />
      <UserPicker
        label={t('audit.actor')}
        value={filter.actorUserId}
        onChange={(actorUserId) => onFilter({ actorUserId })}
      />
      <UserPicker label={t('audit.person')} {...target('user')} />
      <RoomPicker label={t('audit.room')} {...target('room')} />
      <TextInput
        type="datetime-local"
        label={t('audit.before')}
        value={filter.before}
        onChange={({ currentTarget }) => onFilter({ before: currentTarget.value })}
      />
      <Button variant="subtle" onClick={() => onFilter(NO_FILTER)} style={{ alignSelf: 'end' }}>
        {t('audit.clear')}
      </Button>
    </SimpleGrid>
  )
}
