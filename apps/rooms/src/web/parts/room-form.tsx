import { Alert, Button, Radio, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useCall } from '../queries.ts'
import type { RoomFields } from './room-fields.ts'
import { useUserDraft } from '../user-draft.ts'
import { Refusal } from './refusal.tsx'
import { type ChangeProps, type Faults, MAX_DAYS, type RetentionRules, RoomOptions } from './room-options.tsx'
import { useText } from '../texts/text.ts'

const [MIN_PARTICIPANTS, MAX_PARTICIPANTS] = [2, 10_000]
const MAX_NAME_LENGTH = 64
const MAX_TOPIC_LENGTH = 250

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
    hasOptions: hasOptions(edits),
    saving,
    send: () => saving.mutate(changes),
  }
}

/** Whether these edits of a new room are about more than what it asks for at first. */
function hasOptions({ name: _name, topic: _topic, visibility, ...options }: Partial<RoomFields>): boolean {
  return visibility === 'unlisted' || Object.keys(options).length > 0
}

function parseDraft(draft: string): Partial<RoomFields> {
  return draft === '' ? {} : (JSON.parse(draft) as Partial<RoomFields>)
}

/** Form of all settings of a room, for creating and changing it. */
export function RoomForm({ isGuest, name, before, button, save }: Props) {
  const { t } = useText()
  const rules = useCall('config', 'getConfig', {}).data?.retention ?? NO_RULES
  const { fields, change, discard, saving, send, ...draft } = useFields({ name, before, save }, rules)
  const [fault, setFault] = useState<Faults>({})
  const [isWhole, setWhole] = useState(before !== undefined || draft.hasOptions)
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
        <VisibilityChoice value={fields.visibility} isGuest={isGuest} isWhole={isWhole} onChange={change} />
        {isWhole ? (
          <RoomOptions fields={fields} isGuest={isGuest} rules={rules} fault={fault} onChange={change} />
        ) : (
          <MoreOptions onPress={() => setWhole(true)} />
        )}
        {saving.error && (
          <Alert color="red" role="alert">
            <Refusal error={saving.error} />
          </Alert>
        )}
        <Button type="submit" loading={saving.isPending} disabled={!draft.hasChanges}>
          {button}
        </Button>
        {before && draft.hasChanges && <Discard onPress={discardChanges} />}
      </Stack>
    </form>
  )
}

function MoreOptions({ onPress }: { onPress: () => void }) {
  const { t } = useText()
  return (
    <Button className="more-options" variant="subtle" size="compact-sm" onClick={onPress}>
      {t('form.more')}
    </Button>
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

const VISIBILITIES = ['public', 'unlisted', 'private'] as const
const SIMPLE_VISIBILITIES = ['public', 'private'] as const

function VisibilityChoice({
  value,
  isGuest,
  isWhole,
  onChange,
}: ChangeProps & { value: RoomFields['visibility']; isGuest: boolean; isWhole: boolean }) {
  const { t } = useText()
  return (
    <Radio.Group
      label={t('form.visibility')}
      value={value}
      onChange={(visibility) => onChange({ visibility })}
    >
      <Stack gap="xs" mt={6}>
        {(isWhole ? VISIBILITIES : SIMPLE_VISIBILITIES).map((visibility) => (
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
