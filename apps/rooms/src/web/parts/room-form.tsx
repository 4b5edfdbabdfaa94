import { Alert, Button, Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, Suspense, lazy, useRef, useState } from 'react'
import { DEFAULT_ROLES } from '../../api/roles.ts'
import { instance } from '../instance.ts'
import type { Result } from '../call.ts'
import { useCall } from '../queries.ts'
import type { RoomFields } from './room-fields.ts'
import { useUserDraft } from '../user-draft.ts'
import { Refusal } from './refusal.tsx'
import { type TextKey, useText } from '../texts/text.ts'

const CallFields = lazy(() => import('../voice/view/load.ts').then(({ loadCallFields }) => loadCallFields()))

const [MIN_PARTICIPANTS, MAX_PARTICIPANTS] = [2, 10_000]
const MAX_NAME_LENGTH = 64
const MAX_TOPIC_LENGTH = 250
const MAX_DAYS = 36_500
/** Proposed when a room that retains messages forever no longer shall. */
const USUAL_DAYS = 90

const NEW_ROOM: Omit<RoomFields, 'name' | 'retention'> = {
  topic: null,
  maxParticipants: null,
  visibility: 'public',
  allowGuests: true,
  defaultRole: 'speaker',
  historyVisibility: 'all',
  voice: 'video',
  voiceScreen: true,
  voiceGuests: 'listen',
}

/** What the instance says about retention. */
type RetentionRules = Result<'getConfig'>['retention']
const NO_RULES: RetentionRules = { usual: 'forever', maxDays: null }

interface Props {
  isGuest: boolean
  /** Name of the draft that stores unsaved changes. */
  name: string
  /** Current values. Undefined for a new room. */
  before?: RoomFields | undefined
  button: string
  /** Saves all fields. `changes` are those that differ from the current values. */
  save: (fields: RoomFields, changes: Partial<RoomFields>) => Promise<unknown>
}

/** Values of the form and their saving. */
function useFields(
  { name, before, save }: Pick<Props, 'name' | 'before' | 'save'>,
  { usual }: RetentionRules,
) {
  const [draft, setDraft] = useUserDraft(`edits:${name}`)
  const edits = parseDraft(draft)
  // Changes by other users show in fields without edits.
  const fields: RoomFields = { name: '', ...NEW_ROOM, retention: usual, ...before, ...edits }
  const changes = changedFields(edits, before)
  const updateEdits = (next: (now: Partial<RoomFields>) => Partial<RoomFields>) =>
    setDraft((now) => JSON.stringify(next(parseDraft(now))))
  const saving = useMutation({
    mutationFn: (sent: Partial<RoomFields>) => save({ ...fields, ...sent }, sent),
    // Keeps edits made while saving.
    onSuccess: (_, sent) => updateEdits((now) => changedFields(now, sent)),
  })
  const change = (more: Partial<RoomFields>) =>
    updateEdits((now) => changedFields({ ...now, ...more }, before))
  const hasChanges = !before || Object.keys(changes).length > 0
  return {
    fields,
    change,
    discard: () => setDraft(''),
    hasChanges,
    saving,
    send: () => saving.mutate(changes),
  }
}

function parseDraft(draft: string): Partial<RoomFields> {
  return draft === '' ? {} : (JSON.parse(draft) as Partial<RoomFields>)
}

/** Form of all settings of a room, for creating and changing it. */
export function RoomForm({ isGuest, name, before, button, save }: Props) {
  const { t } = useText()
  const rules = useCall('config', 'getConfig', {}).data?.retention ?? NO_RULES
  const { fields, change, discard, hasChanges, saving, send } = useFields({ name, before, save }, rules)
  const [fault, setFault] = useState<Faults>({})
  const form = useRef<HTMLFormElement>(null)
  const nameField = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const faults = faultsOf(fields, before, rules)
    setFault(faults)
    const [first] = Object.keys(faults)
    if (first === undefined) send()
    else form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
  }
  const discardChanges = () => {
    discard()
    // The button disappears.
    nameField.current?.focus()
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          ref={nameField}
          name="name"
          label={t('form.name')}
          required
          value={fields.name}
          onChange={({ currentTarget: { value } }) => change({ name: value })}
          error={fault.name && t(fault.name)}
          data-autofocus
        />
        <TextInput
          name="topic"
          label={t('form.topic')}
          description={t('form.topicHelp')}
          value={fields.topic ?? ''}
          onChange={({ currentTarget: { value } }) => change({ topic: value || null })}
          error={fault.topic && t(fault.topic)}
        />
        <VisibilityChoice value={fields.visibility} isGuest={isGuest} onChange={change} />
        <CapacityFields fields={fields} isGuest={isGuest} fault={fault.maxParticipants} onChange={change} />
        <SelectFields fields={fields} onChange={change} />
        <RetentionField fields={fields} rules={rules} fault={fault.retention} onChange={change} />
        <CallSettings fields={fields} onChange={change} />
        {saving.error && (
          <Alert color="red" role="alert">
            <Refusal error={saving.error} />
          </Alert>
        )}
        <Button type="submit" loading={saving.isPending} disabled={!hasChanges}>
          {button}
        </Button>
        {before && hasChanges && <Discard onPress={discardChanges} />}
      </Stack>
    </form>
  )
}

function Discard({ onPress }: { onPress: () => void }) {
  const { t } = useText()
  return (
    <Button variant="default" onClick={onPress}>
      {t('form.discard')}
    </Button>
  )
}

/** Returns the edits that differ from the current values. */
function changedFields(
  edits: Partial<RoomFields>,
  before: Partial<RoomFields> | undefined,
): Partial<RoomFields> {
  const pairs = Object.entries(edits).filter(([name, value]) => value !== before?.[name as keyof RoomFields])
  return Object.fromEntries(pairs)
}

type Faults = Partial<Record<'name' | 'topic' | 'maxParticipants' | 'retention', TextKey>>

function faultsOf(fields: RoomFields, before: RoomFields | undefined, { maxDays }: RetentionRules): Faults {
  const { name, topic, maxParticipants: max, retention } = fields
  const length = lengthOf(name)
  // Stored values may be outside of these limits, which are newer.
  const isNewMax = max !== null && max !== before?.maxParticipants
  const isNewRetention = retention !== before?.retention
  return {
    ...(length === 0 && { name: 'form.nameRequired' as const }),
    ...(length > MAX_NAME_LENGTH && { name: 'form.nameLong' as const }),
    ...(lengthOf(topic ?? '') > MAX_TOPIC_LENGTH && { topic: 'form.topicLong' as const }),
    ...(isNewMax &&
      !isBetween(max, MIN_PARTICIPANTS, MAX_PARTICIPANTS) && { maxParticipants: 'form.maxInvalid' as const }),
    ...(isNewRetention &&
      !isRetention(retention, maxDays) && { retention: 'form.retentionInvalid' as const }),
  }
}

function isRetention(retention: RoomFields['retention'], maxDays: number | null): boolean {
  return retention === 'forever' ? maxDays === null : isBetween(retention, 1, maxDays ?? MAX_DAYS)
}

const isBetween = (value: number, min: number, max: number) => value >= min && value <= max

const lengthOf = (text: string) => Array.from(text.trim()).length

interface ChangeProps {
  onChange: (changes: Partial<RoomFields>) => void
}

function VisibilityChoice({
  value,
  isGuest,
  onChange,
}: ChangeProps & { value: RoomFields['visibility']; isGuest: boolean }) {
  const { t } = useText()
  return (
    <Radio.Group
      label={t('form.visibility')}
      value={value}
      onChange={(visibility) => onChange({ visibility })}
    >
      <Stack gap="xs" mt={6}>
        {(['public', 'unlisted', 'private'] as const).map((visibility) => (
          <Radio
            key={visibility}
            value={visibility}
            label={t(`room.visibility.${visibility}`)}
            description={t(`form.${visibility}Help`)}
            // Guests cannot be in private rooms (R14.2).
            disabled={isGuest && visibility === 'private'}
          />
        ))}
      </Stack>
    </Radio.Group>
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
