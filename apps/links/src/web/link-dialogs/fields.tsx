import { Button, Group, Stack, TextInput, type TextInputProps } from '@mantine/core'
import { MAX_DATE_TIME, zoneOfField } from '../parts/moment-field.ts'
import { useText } from '../texts/text.ts'
import { EXPIRY_PRESETS, presetField } from './expiry.ts'

/** The fields of a link that its owner can set, as texts. */
export const EMPTY_LINK = { url: '', label: '', expires: '' }
export type LinkValues = typeof EMPTY_LINK

/** Error codes that are shown at a field. */
export const LINK_FIELD_ERRORS = {
  url: ['url_required', 'url_invalid', 'url_too_long', 'url_malformed'],
  label: ['label_too_long', 'label_malformed'],
  expires: ['expires_at_invalid'],
} as const

interface Props {
  values: LinkValues
  change: (changes: Partial<LinkValues>) => void
  errorOf: (field: keyof LinkValues) => string | false
}

export function DestinationField({ values, change, errorOf }: Props) {
  const { t } = useText()
  return (
    <TextInput
      id="link-url"
      label={t('links.url')}
      placeholder="https://"
      required
      data-autofocus
      autoComplete="off"
      inputMode="url"
      value={values.url}
      error={errorOf('url')}
      onChange={({ currentTarget }) => change({ url: currentTarget.value })}
    />
  )
}

export function LabelField({ values, change, errorOf, ...props }: Props & TextInputProps) {
  const { t } = useText()
  return (
    <TextInput
      {...props}
      id="link-label"
      label={t('links.label')}
      autoComplete="off"
      value={values.label}
      error={errorOf('label')}
      onChange={({ currentTarget }) => change({ label: currentTarget.value })}
    />
  )
}

export function ExpiryField({ values, change, errorOf }: Props) {
  const { t, language } = useText()
  return (
    <Stack gap="xs">
      <TextInput
        id="link-expires"
        label={t('links.expires')}
        description={zoneOfField(values.expires, language)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        type="datetime-local"
        max={MAX_DATE_TIME}
        value={values.expires}
        error={errorOf('expires')}
        onChange={({ currentTarget }) => change({ expires: currentTarget.value })}
      />
      <Group gap="xs" role="group" aria-label={t('create.expiryPresets')}>
        {EXPIRY_PRESETS.map((preset) => (
          <Button
            key={preset}
            size="compact-xs"
            variant="default"
            onClick={() => change({ expires: presetField(preset) })}
          >
            {t(`create.expires.${preset}`)}
          </Button>
        ))}
        {values.expires !== '' && (
          <Button size="compact-xs" variant="subtle" onClick={() => change({ expires: '' })}>
            {t('link.never')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
