import { Alert, Button, NumberInput, Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type Ref, useRef, useState } from 'react'
import type { Result } from '../call.ts'
import { DEFAULT_ROLES } from '../../roles.ts'
import { useUserDraft } from '../user-draft.ts'
import { Refusal } from './refusal.tsx'
import { type TextKey, useText } from '../texts/text.ts'

const MAX_PARTICIPANTS = 100
const MAX_NAME_LENGTH = 64

export type RoomFields = Pick<
  Result<'getRoom'>['room'],
  | 'name'
  | 'maxParticipants'
  | 'visibility'
  | 'allowGuests'
  | 'defaultRole'
  | 'historyVisibility'
  | 'retention'
>

const NEW_ROOM: Omit<RoomFields, 'name'> = {
  maxParticipants: 50,
  visibility: 'public',
  allowGuests: true,
  defaultRole: 'listener',
  historyVisibility: 'all',
  retention: '30',
}

interface Props {
  isGuest: boolean
  /** Under which is kept what is typed and chosen, until it is saved. */
  name: string
  /** What there is; nothing for a new room. */
  before?: RoomFields | undefined
  button: string
  /** All fields, and those of them that differ from what there is. */
  save: (fields: RoomFields, changes: Partial<RoomFields>) => Promise<unknown>
}

/** What stands in the form, and how it is saved. */
function useFields({ name, before, save }: Pick<Props, 'name' | 'before' | 'save'>) {
  const [draft, setDraft] = useUserDraft(`chosen:${name}`)
  const chosen = parseDraft(draft)
  // What somebody else changes meanwhile shows where nothing else was chosen here.
  const fields: RoomFields = { name: '', ...NEW_ROOM, ...before, ...chosen }
  const changes = changedFields(chosen, before)
  const choose = (next: (now: Partial<RoomFields>) => Partial<RoomFields>) =>
    setDraft((now) => JSON.stringify(next(parseDraft(now))))
  const saving = useMutation({
    mutationFn: (sent: Partial<RoomFields>) => save({ ...fields, ...sent }, sent),
    // What was chosen while it was being saved stays.
    onSuccess: (_, sent) => choose((now) => changedFields(now, sent)),
  })
  const change = (more: Partial<RoomFields>) => choose((now) => changedFields({ ...now, ...more }, before))
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

/** What was chosen and not saved, as it is kept. */
function parseDraft(draft: string): Partial<RoomFields> {
  return draft === '' ? {} : (JSON.parse(draft) as Partial<RoomFields>)
}

/** Everything that can be chosen of a room, at its creation and later. */
export function RoomForm({ isGuest, name, before, button, save }: Props) {
  const { t } = useText()
  const { fields, change, discard, hasChanges, saving, send } = useFields({ name, before, save })
  const [fault, setFault] = useState<{ name?: TextKey; max?: TextKey }>({})
  const nameField = useRef<HTMLInputElement>(null)
  const maxField = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = faultsOf(fields)
    setFault(found)
    if (found.name) nameField.current?.focus()
    else if (found.max) maxField.current?.focus()
    else send()
  }
  const startAnew = () => {
    discard()
    // The button goes.
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
        {saving.error && (
          <Alert color="red" role="alert">
            <Refusal error={saving.error} />
          </Alert>
        )}
        <Button type="submit" loading={saving.isPending} disabled={!hasChanges}>
          {button}
        </Button>
        {before && hasChanges && <Discard onPress={startAnew} />}
      </Stack>
    </form>
  )
}

/** The role that a new room proposes: members of a private room are there to speak. */
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

/** Those of `chosen` that are not so already. */
function changedFields(
  chosen: Partial<RoomFields>,
  before: Partial<RoomFields> | undefined,
): Partial<RoomFields> {
  const pairs = Object.entries(chosen).filter(([name, value]) => value !== before?.[name as keyof RoomFields])
  return Object.fromEntries(pairs)
}

function faultsOf({ name, maxParticipants }: RoomFields): { name?: TextKey; max?: TextKey } {
  const length = Array.from(name.trim()).length
  const isWhole = Number.isInteger(maxParticipants)
  return {
    ...(length === 0 && { name: 'form.nameRequired' as const }),
    ...(length > MAX_NAME_LENGTH && { name: 'form.nameLong' as const }),
    ...((!isWhole || maxParticipants < 1 || maxParticipants > MAX_PARTICIPANTS) && {
      max: 'form.mostBad' as const,
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
      onChange={(chosen) => onChange({ visibility: chosen })}
    >
      <Stack gap="xs" mt={6}>
        {(['public', 'unlisted', 'private'] as const).map((each) => (
          <Radio
            key={each}
            value={each}
            label={t(`room.visibility.${each}`)}
            description={t(`form.${each}Help`)}
            // Guests are not in private rooms (R14.2).
            disabled={isGuest && each === 'private'}
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

/** For how many people, and whether guests are among them. */
function CapacityFields({ fields, isGuest, fault, field, onChange }: CapacityFieldsProps) {
  const { t } = useText()
  const isPrivate = fields.visibility === 'private'
  return (
    <>
      <Switch
        label={t('form.guests')}
        // Whatever is chosen (R14.3).
        description={isPrivate && t('form.guestsNever')}
        checked={fields.allowGuests && !isPrivate}
        disabled={isGuest || isPrivate}
        onChange={({ currentTarget }) => onChange({ allowGuests: currentTarget.checked })}
      />
      <NumberInput
        ref={field}
        label={t('form.most')}
        value={fields.maxParticipants}
        onChange={(value) => onChange({ maxParticipants: Number(value) })}
        allowDecimal={false}
        allowNegative={false}
        error={fault && t(fault)}
        hideControls
      />
    </>
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
        value={fields.retention}
        onChange={(value) => value && onChange({ retention: value })}
      />
    </>
  )
}
