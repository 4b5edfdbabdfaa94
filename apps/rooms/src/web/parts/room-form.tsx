import { Alert, Button, Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type Ref, Suspense, lazy, useRef, useState } from 'react'
import { DEFAULT_ROLES } from '../../api/roles.ts'
import { instance } from '../instance.ts'
import type { RoomFields } from './room-fields.ts'
import { useUserDraft } from '../user-draft.ts'
import { Refusal } from './refusal.tsx'
import { type TextKey, useText } from '../texts/text.ts'

const CallFields = lazy(() => import('../voice/view/load.ts').then(({ loadCallFields }) => loadCallFields()))

const MAX_PARTICIPANTS = 100
const MAX_NAME_LENGTH = 64

const NEW_ROOM: Omit<RoomFields, 'name'> = {
  maxParticipants: 50,
  visibility: 'public',
  allowGuests: true,
  defaultRole: 'listener',
  historyVisibility: 'all',
  retention: 30,
  voice: 'video',
  voiceScreen: true,
  voiceGuests: 'listen',
}

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
function useFields({ name, before, save }: Pick<Props, 'name' | 'before' | 'save'>) {
  const [draft, setDraft] = useUserDraft(`edits:${name}`)
  const edits = parseDraft(draft)
  // Changes by other users show in fields without edits.
  const fields: RoomFields = { name: '', ...NEW_ROOM, ...before, ...edits }
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
  const { fields, change, discard, hasChanges, saving, send } = useFields({ name, before, save })
  const [fault, setFault] = useState<{ name?: TextKey; max?: TextKey }>({})
  const nameField = useRef<HTMLInputElement>(null)
  const maxField = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const faults = faultsOf(fields)
    setFault(faults)
    if (faults.name) nameField.current?.focus()
    else if (faults.max) maxField.current?.focus()
    else send()
  }
  const discardChanges = () => {
    discard()
    // The button disappears.
    nameField.current?.focus()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          ref={nameField}
          label={t('form.name')}
          required
          value={fields.name}
          onChange={({ currentTarget: { value } }) => change({ name: value })}
          error={fault.name && t(fault.name)}
          data-autofocus
        />
        <VisibilityChoice
          value={fields.visibility}
          isGuest={isGuest}
          onChange={({ visibility = 'public' }) =>
            change({ visibility, ...(!before && { defaultRole: defaultRoleOf(visibility) }) })
          }
        />
        <CapacityFields
          fields={fields}
          isGuest={isGuest}
          fault={fault.max}
          field={maxField}
          onChange={change}
        />
        <SelectFields fields={fields} onChange={change} />
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

/** Proposed default role of a new room. Members of a private room are there to speak. */
function defaultRoleOf(visibility: RoomFields['visibility']): RoomFields['defaultRole'] {
  return visibility === 'private' ? 'speaker' : 'listener'
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

function faultsOf({ name, maxParticipants }: RoomFields): { name?: TextKey; max?: TextKey } {
  const length = Array.from(name.trim()).length
  const isWhole = maxParticipants === null || Number.isInteger(maxParticipants)
  return {
    ...(length === 0 && { name: 'form.nameRequired' as const }),
    ...(length > MAX_NAME_LENGTH && { name: 'form.nameLong' as const }),
    ...((!isWhole || (maxParticipants ?? 1) < 1 || (maxParticipants ?? 1) > MAX_PARTICIPANTS) && {
      max: 'form.maxInvalid' as const,
    }),
  }
}

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
  field: Ref<HTMLInputElement>
}

/** Maximum number of participants, and whether guests are admitted. */
function CapacityFields({ fields, isGuest, fault, field, onChange }: CapacityFieldsProps) {
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
        ref={field}
        label={t('form.max')}
        value={fields.maxParticipants || null}
        onChange={(maxParticipants) => onChange({ maxParticipants })}
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
      <Select
        {...common}
        label={t('form.retention')}
        data={(['7', '30', 'forever'] as const).map((value) => ({
          value,
          label: t(`form.retention.${value}`),
        }))}
        value={String(fields.retention)}
        onChange={(value) => value && onChange({ retention: value === 'forever' ? value : Number(value) })}
      />
    </>
  )
}
