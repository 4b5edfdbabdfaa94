import { Button, Group, SimpleGrid, Stack, TextInput, type TextInputProps } from '@mantine/core'
import { useId, useState } from 'react'
import { MAX_DATE_TIME, zoneOfField } from '../parts/moment-field.ts'
import { useText } from '../texts/text.ts'
import { EXPIRY_PRESETS, presetField } from './expiry.ts'
import { UTM_NAMES, type UtmName, readUtm, rememberedUtm, writeUtm } from './utm.ts'

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

/** The UTM parameters of the destination. The destination itself holds their values. */
export function UtmFields({ url, onChange }: Pick<UtmFieldProps, 'url' | 'onChange'>) {
  const { t } = useText()
  const [remembered] = useState(rememberedUtm)
  const hasValues = UTM_NAMES.some((name) => readUtm(url, name) !== '')
  const [hadValues, setHadValues] = useState(hasValues)
  const [isOpen, setOpen] = useState(hasValues)
  // A URL with values was typed or pasted.
  if (hasValues && !hadValues) {
    setHadValues(true)
    setOpen(true)
  }
  return (
    <Stack gap="xs" align="stretch">
      <Button
        size="compact-sm"
        variant="default"
        aria-expanded={isOpen}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => setOpen(!isOpen)}
      >
        {t('create.utm')}
      </Button>
      {isOpen && (
        <SimpleGrid
          cols={{ base: 1, xs: 2 }}
          spacing="sm"
          verticalSpacing="sm"
          role="group"
          aria-label={t('create.utm')}
        >
          {UTM_NAMES.map((name) => (
            <UtmField
              key={name}
              name={name}
              url={url}
              recentValues={remembered[name] ?? []}
              onChange={onChange}
            />
          ))}
        </SimpleGrid>
      )}
    </Stack>
  )
}

interface UtmFieldProps {
  name: UtmName
  url: string
  /** Values of earlier links. */
  recentValues: readonly string[]
  onChange: (url: string) => void
}

function UtmField({ name, url, recentValues, onChange }: UtmFieldProps) {
  const { t } = useText()
  const list = useId()
  return (
    <div>
      <TextInput
        label={t(`create.utm.${name}`)}
        description={`utm_${name}`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        autoComplete="off"
        autoCapitalize="off"
        list={list}
        disabled={url.trim() === ''}
        value={readUtm(url, name)}
        onChange={({ currentTarget }) => onChange(writeUtm(url, name, currentTarget.value))}
      />
      <datalist id={list}>
        {recentValues.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </div>
  )
}
