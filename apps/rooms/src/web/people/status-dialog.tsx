import { Button, Checkbox, Group, Modal, NativeSelect, Skeleton, Stack, TextInput } from '@mantine/core'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Input, type Result, call } from '../call.ts'
import { useFocusBack } from '../parts/focus-back.ts'
import { LoadingOrError } from '../parts/loading-or-error.tsx'
import { invalidate, useCall } from '../queries.ts'
import { useText } from '../texts/text.ts'

type Status = Result<'getStatus'>['status']

const EMOJI = ['💬', '🗓️', '🍜', '🎧', '🏡', '🚆', '🤒', '🌴', '🎯', '👶'] as const

const ENDS = ['never', '30', '60', '240', 'today', 'week'] as const
type End = (typeof ENDS)[number] | 'present'

const PRESETS = [
  { key: 'meeting', emoji: '🗓️', end: '60' },
  { key: 'lunch', emoji: '🍜', end: '30' },
  { key: 'sick', emoji: '🤒', end: 'today' },
  { key: 'holiday', emoji: '🌴', end: 'week' },
] as const

/** The moment at which a status that is set now ends. */
function momentOf(end: End, present: string | null): string | null {
  if (end === 'never' || end === 'present') return end === 'present' ? present : null
  const now = new Date()
  if (end !== 'today' && end !== 'week') return new Date(now.getTime() + Number(end) * 60_000).toISOString()
  // A week ends with its Sunday.
  const days = end === 'today' ? 1 : 8 - (now.getDay() || 7)
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).toISOString()
}

/** What the user is doing, and whether they look absent. */
export function StatusDialog({ onClose }: { onClose: () => void }) {
  const { t } = useText()
  useFocusBack()
  const { data, error, refetch } = useCall('status', 'getStatus', {})
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('status.title')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      {data && <Fields status={data.status} onClose={onClose} />}
      {!data &&
        (error ? <LoadingOrError error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />)}
    </Modal>
  )
}

interface Draft {
  text: string
  emoji: string | null
  end: End
  away: boolean
}

function Fields({ status, onClose }: { status: Status; onClose: () => void }) {
  const { t, failure } = useText()
  const [draft, setDraft] = useState<Draft>({
    text: status.text ?? '',
    emoji: status.emoji,
    end: status.until === null ? 'never' : 'present',
    away: status.away,
  })
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const { text, emoji, end, away } = draft
  const save = useMutation({
    mutationFn: (body: Input<'setStatus'>['body']) => call('setStatus', { body }),
    onSuccess: async () => {
      onClose()
      await invalidate('status', 'people')
    },
    onError: (refusal) => showError(failure(refusal)),
  })
  const submit = () =>
    save.mutate({ text: text.trim() || null, emoji, until: momentOf(end, status.until), away })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t('status.text')}
          leftSection={emoji && <span aria-hidden>{emoji}</span>}
          maxLength={80}
          value={text}
          onChange={({ currentTarget }) => change({ text: currentTarget.value })}
          data-autofocus
        />
        <Presets onChoose={change} />
        <EmojiChoice value={emoji} onChange={(next) => change({ emoji: next })} />
        <EndChoice value={end} present={status.until} onChange={(next) => change({ end: next })} />
        <Checkbox
          label={t('status.away')}
          description={t('status.awayHelp')}
          checked={away}
          onChange={({ currentTarget }) => change({ away: currentTarget.checked })}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={save.isPending} onClick={() => save.mutate({})}>
            {t('status.clear')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('status.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Presets({ onChoose }: { onChoose: (changes: Partial<Draft>) => void }) {
  const { t } = useText()
  return (
    <Group gap="xs">
      {PRESETS.map(({ key, emoji, end }) => (
        <Button
          key={key}
          size="compact-sm"
          variant="default"
          onClick={() => onChoose({ text: t(`status.${key}`), emoji, end })}
        >
          {emoji} {t(`status.${key}`)}
        </Button>
      ))}
    </Group>
  )
}

interface EmojiChoiceProps {
  value: string | null
  onChange: (emoji: string | null) => void
}

/** A few emoji. A second press takes one back. */
function EmojiChoice({ value, onChange }: EmojiChoiceProps) {
  const { t } = useText()
  const offered = EMOJI.some((sign) => sign === value) || value === null ? EMOJI : [value, ...EMOJI]
  return (
    <div className="emoji-choice" role="group" aria-label={t('status.emoji')}>
      {offered.map((sign) => (
        <button
          key={sign}
          type="button"
          aria-pressed={sign === value}
          onClick={() => onChange(sign === value ? null : sign)}
        >
          {sign}
        </button>
      ))}
    </div>
  )
}

interface EndChoiceProps {
  value: End
  /** The end of the present status. */
  present: string | null
  onChange: (end: End) => void
}

function EndChoice({ value, present, onChange }: EndChoiceProps) {
  const { t, moment } = useText()
  const options =
    present === null ? [] : [{ value: 'present', label: t('status.ends.present', { when: moment(present) }) }]
  return (
    <NativeSelect
      label={t('status.ends')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as End)}
      data={[...options, ...ENDS.map((end) => ({ value: end, label: t(`status.ends.${end}`) }))]}
    />
  )
}
