import { Select, Switch } from '@mantine/core'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { Suspense, lazy } from 'react'
import { DEFAULT_ROLES } from '../../api/roles.ts'
import type { Result } from '../call.ts'
import { instance } from '../instance.ts'
import { type TextKey, useText } from '../texts/text.ts'
import type { RoomFields } from './room-fields.ts'

const CallFields = lazy(() => import('../voice/view/load.ts').then(({ loadCallFields }) => loadCallFields()))

export const MAX_DAYS = 36_500
/** Proposed when a room that retains messages forever no longer shall. */
const USUAL_DAYS = 90

/** What the instance says about retention. */
export type RetentionRules = Result<'getConfig'>['retention']

export type Faults = Partial<Record<'name' | 'topic' | 'maxParticipants' | 'retention', TextKey>>

export interface ChangeProps {
  onChange: (changes: Partial<RoomFields>) => void
}

interface Props extends ChangeProps {
  fields: RoomFields
  isGuest: boolean
  rules: RetentionRules
  fault: Faults
}

/** The fields of a room that a new one does not ask for at first. */
export function RoomOptions({ fields, isGuest, rules, fault, onChange }: Props) {
  return (
    <>
      <CapacityFields fields={fields} isGuest={isGuest} fault={fault.maxParticipants} onChange={onChange} />
      <SelectFields fields={fields} onChange={onChange} />
      <RetentionField fields={fields} rules={rules} fault={fault.retention} onChange={onChange} />
      <CallSettings fields={fields} onChange={onChange} />
    </>
  )
}

interface CapacityFieldsProps extends ChangeProps {
  fields: RoomFields
  isGuest: boolean
  fault: TextKey | undefined
}

/** Maximum number of participants, and whether guests are admitted. */
function CapacityFields({ fields, isGuest, fault, onChange }: CapacityFieldsProps) {
  const { t } = useText()
  const isPrivate = fields.visibility === 'private'
  return (
    <>
      <Switch
        label={t('form.guests')}
        // Independent of the switch (R14.3).
        description={isPrivate && t('form.guestsNever')}
        checked={fields.allowGuests && !isPrivate}
        disabled={isGuest || isPrivate}
        onChange={({ currentTarget }) => onChange({ allowGuests: currentTarget.checked })}
      />
      <IntegerField
        name="maxParticipants"
        label={t('form.max')}
        description={t('form.maxHelp')}
        value={fields.maxParticipants}
        onChange={(value) => onChange({ maxParticipants: value })}
        error={fault && t(fault)}
      />
    </>
  )
}

function CallSettings(props: ChangeProps & { fields: RoomFields }) {
  if (!instance.hasCalls) return null
  return (
    <Suspense>
      <CallFields {...props} />
    </Suspense>
  )
}

function SelectFields({ fields, onChange }: ChangeProps & { fields: RoomFields }) {
  const { t } = useText()
  const common = { allowDeselect: false, comboboxProps: { withinPortal: false } }
  return (
    <>
      <Select
        {...common}
        label={t('form.defaultRole')}
        description={t(`room.roleHelp.${fields.defaultRole}`)}
        inputWrapperOrder={['label', 'input', 'description']}
        data={DEFAULT_ROLES.toReversed().map((value) => ({
          value,
          label: t(`room.role.${value}`),
        }))}
        value={fields.defaultRole}
        onChange={(value) => value && onChange({ defaultRole: value })}
      />
      <Select
        {...common}
        label={t('form.history')}
        data={(['all', 'since_membership', 'none'] as const).map((value) => ({
          value,
          label: t(`form.history.${value}`),
        }))}
        value={fields.historyVisibility}
        onChange={(value) => value && onChange({ historyVisibility: value })}
      />
    </>
  )
}

interface RetentionProps extends ChangeProps {
  fields: RoomFields
  rules: RetentionRules
  fault: TextKey | undefined
}

/** For how long messages are retained: forever, or a number of days. */
function RetentionField({ fields: { retention }, rules: { maxDays }, fault, onChange }: RetentionProps) {
  const { t } = useText()
  const isForever = retention === 'forever'
  const mayBeForever = maxDays === null || isForever
  return (
    <>
      {mayBeForever && (
        <Select
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          name="retention"
          label={t('form.retention')}
          data={(['forever', 'days'] as const).map((value) => ({
            value,
            label: t(`form.retention.${value}`),
          }))}
          value={isForever ? 'forever' : 'days'}
          onChange={(value) =>
            onChange({ retention: value === 'days' ? (maxDays ?? USUAL_DAYS) : 'forever' })
          }
          error={isForever && fault && t(fault, { max: maxDays ?? MAX_DAYS })}
        />
      )}
      {!isForever && (
        <IntegerField
          name="retention"
          label={t(mayBeForever ? 'form.days' : 'form.retentionDays')}
          {...(maxDays !== null && { description: t('form.retentionMax', { count: maxDays }) })}
          value={retention || null}
          onChange={(value) => onChange({ retention: value ?? 0 })}
          error={fault && t(fault, { max: maxDays ?? MAX_DAYS })}
        />
      )}
    </>
  )
}
