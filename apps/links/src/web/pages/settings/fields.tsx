import { Select, Switch, TextInput } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { isComposing } from '@latchkey/web/composing'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { useState } from 'react'
import { type Range, rangeInWords, rangeNames } from '../../../time/ranges.ts'
import { me } from '../../me.ts'
import { useText } from '../../texts/text.ts'
import { type Settings, useSaving } from './saving.ts'
import { SaveStatus } from './section.tsx'

const [MIN_LENGTH, MAX_LENGTH] = [3, 128]
/** Number of different characters in automatic slugs. */
const ALPHABET_SIZE = 32
/** `32^length` is a safe integer up to this length. */
const EXACT_LENGTH = 10

/** Formats `32^length`: exactly up to `EXACT_LENGTH`, then rounded, as a power of ten. */
function combinations(length: number, number: (value: number) => string): string {
  if (length <= EXACT_LENGTH) return number(ALPHABET_SIZE ** length)
  const [mantissa = '', exponent = ''] = (ALPHABET_SIZE ** length).toExponential(1).split('e+')
  const superscript = exponent
    .split('')
    .map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])
    .join('')
  return `≈ ${number(Number(mantissa))} × 10${superscript}`
}

const isValidLength = (length: number | null): length is number =>
  length !== null && length >= MIN_LENGTH && length <= MAX_LENGTH

export function SlugLength({ slug_default_length }: Settings) {
  const { t, failure, number } = useText()
  const saving = useSaving()
  const [length, setLength] = useState<number | null>(slug_default_length)
  const isValid = isValidLength(length)
  return (
    <SaveStatus saving={saving}>
      <IntegerField
        label={t('settings.slugLength')}
        description={isValid && t('settings.slugLengthHelp', { combinations: combinations(length, number) })}
        error={isValid ? saving.error && failure(saving.error) : t('settings.slugLengthBad')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={length}
        onChange={(value) => {
          setLength(value)
          saving.reset()
          if (isValidLength(value)) saving.save({ slug_default_length: value })
        }}
      />
    </SaveStatus>
  )
}

export function DefaultRange({ default_range }: Settings) {
  const { t, failure, language } = useText()
  const saving = useSaving()
  const nameOf = (range: Range) => rangeInWords(range, language, t('settings.range.all'))
  return (
    <SaveStatus saving={saving}>
      <Select
        label={t('settings.range')}
        description={t('settings.rangeHelp')}
        error={saving.error && failure(saving.error)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        allowDeselect={false}
        data={rangeNames.map((value) => ({ value, label: nameOf(value) }))}
        value={default_range}
        onChange={(value) => value !== null && saving.save({ default_range: value })}
      />
    </SaveStatus>
  )
}

interface FilterProps {
  name: 'filter_bots' | 'filter_self_referrers'
  label: string
  help: string
  settings: Settings
}

export function Filter({ name, label, help, settings }: FilterProps) {
  const { failure } = useText()
  const saving = useSaving()
  return (
    <SaveStatus saving={saving}>
      <Switch
        label={label}
        description={help}
        error={saving.error && failure(saving.error)}
        pr={72}
        checked={settings[name]}
        onChange={({ currentTarget }) => saving.save({ [name]: currentTarget.checked })}
      />
    </SaveStatus>
  )
}

/** Saves when the field loses the focus. A half-typed URL would misdirect visitors. */
export function RootRedirect({ root_redirect_url }: Settings) {
  const { t, failure } = useText()
  const saving = useSaving()
  const stored = root_redirect_url ?? ''
  const [text, setText] = useState<string>()
  const commit = () => {
    if (text === undefined || text.trim() === stored) return
    saving.save({ root_redirect_url: text.trim() || null })
  }
  useWindowEvent('pagehide', commit)
  return (
    <SaveStatus saving={saving}>
      <TextInput
        label={t('settings.root')}
        description={t('settings.rootHelp', { origin: me.origin })}
        error={saving.error && failure(saving.error)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        type="url"
        inputMode="url"
        placeholder="https://"
        value={text ?? stored}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          saving.reset()
        }}
        onBlur={commit}
        onKeyDown={(event) => event.key === 'Enter' && !isComposing(event) && commit()}
      />
    </SaveStatus>
  )
}
