import { Select, Switch } from '@mantine/core'
import { useText } from '../../texts/text.ts'
import type { RoomFields } from '../../parts/room-fields.ts'

interface Props {
  fields: RoomFields
  onChange: (changes: Partial<RoomFields>) => void
}

/** Settings of the calls of a room. */
export default function CallFields({ fields, onChange }: Props) {
  const { t } = useText()
  const common = { allowDeselect: false, comboboxProps: { withinPortal: false } }
  const hasCalls = fields.voice !== 'off'
  return (
    <>
      <Select
        {...common}
        label={t('form.voice')}
        data={(['off', 'voice', 'video'] as const).map((value) => ({
          value,
          label: t(`form.voice.${value}`),
        }))}
        value={fields.voice}
        onChange={(value) => value && onChange({ voice: value })}
      />
      {hasCalls && (
        <>
          <Switch
            label={t('form.voiceScreen')}
            checked={fields.voiceScreen}
            onChange={({ currentTarget: { checked } }) => onChange({ voiceScreen: checked })}
          />
          <Select
            {...common}
            label={t('form.voiceGuests')}
            data={(['off', 'listen', 'speak'] as const).map((value) => ({
              value,
              label: t(`form.voiceGuests.${value}`),
            }))}
            value={fields.voiceGuests}
            onChange={(value) => value && onChange({ voiceGuests: value })}
          />
        </>
      )}
    </>
  )
}
