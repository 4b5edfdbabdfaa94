import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@latchkey/web/icons'
import { showError, showSuccess } from '@latchkey/web/toast'
import { type FormEvent, useState } from 'react'
import { call } from '../../../call.ts'
import { invalidate, useCall } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'
import { DEFAULT_STYLE, type QrPreset, type QrStyle, isSameStyle, styleOf } from './style.ts'

const MAX_NAME_LENGTH = 60

interface Props {
  style: QrStyle
  onChoose: (style: QrStyle) => void
}

/** The saved styles of the person, as buttons. */
export function Presets({ style, onChoose }: Props) {
  const { t, failure } = useText()
  const presets = useCall('qr-presets', 'listQrPresets', {}).data?.body ?? []
  const remove = async ({ id, name }: QrPreset) => {
    try {
      await call('deleteQrPreset', { params: { id } })
      await invalidate('qr-presets')
      showSuccess(t('qr.presetDeleted', { name }))
    } catch (error) {
      showError(failure(error))
    }
  }
  const isSaved = [DEFAULT_STYLE, ...presets.map(styleOf)].some((saved) => isSameStyle(saved, style))
  return (
    <div className="qr-presets" role="group" aria-label={t('qr.presets')}>
      <Chip
        text={t('qr.presetDefault')}
        isChosen={isSameStyle(style, DEFAULT_STYLE)}
        onChoose={() => onChoose(DEFAULT_STYLE)}
      />
      {presets.map((preset) => (
        <Chip
          key={preset.id}
          text={preset.name}
          isChosen={isSameStyle(style, styleOf(preset))}
          onChoose={() => onChoose(styleOf(preset))}
          onRemove={() => void remove(preset)}
        />
      ))}
      {!isSaved && <SavePreset style={style} />}
    </div>
  )
}

interface ChipProps {
  text: string
  isChosen: boolean
  onChoose: () => void
  onRemove?: () => void
}

function Chip({ text, isChosen, onChoose, onRemove }: ChipProps) {
  const { t } = useText()
  return (
    <span className="qr-preset" data-chosen={isChosen || undefined}>
      <button type="button" aria-pressed={isChosen} onClick={onChoose}>
        {text}
      </button>
      {onRemove && (
        <ActionIcon
          variant="transparent"
          color="gray"
          size="sm"
          aria-label={t('qr.presetDelete', { name: text })}
          onClick={onRemove}
        >
          <IconX size={14} />
        </ActionIcon>
      )}
    </span>
  )
}

function SavePreset({ style }: { style: QrStyle }) {
  const { t, failure } = useText()
  const [name, setName] = useState<string | null>(null)
  const [error, setError] = useState<string>()
  if (name === null)
    return (
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => setName('')}
      >
        {t('qr.presetSave')}
      </Button>
    )
  const save = async (event: FormEvent) => {
    event.preventDefault()
    try {
      await call('saveQrPreset', { body: { name, style } })
      await invalidate('qr-presets')
      showSuccess(t('qr.presetSaved', { name: name.trim() }))
      setName(null)
    } catch (problem) {
      setError(failure(problem))
    }
  }
  return (
    <form className="qr-preset-form" onSubmit={(event) => void save(event)}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <TextInput
          size="xs"
          aria-label={t('qr.presetName')}
          placeholder={t('qr.presetName')}
          maxLength={MAX_NAME_LENGTH}
          autoFocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={error}
        />
        <Button type="submit" size="xs" disabled={name.trim() === ''}>
          {t('qr.presetSaveYes')}
        </Button>
      </Group>
    </form>
  )
}
