import { NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { isComposing } from '@latchkey/web/composing'
import { useState } from 'react'
import { me } from '../../me.ts'
import { useText } from '../../texts/text.ts'
import { type Settings, useSaving } from './saving.ts'
import { Saved } from './section.tsx'

const [SHORTEST, LONGEST] = [3, 128]
/** Symbols of an automatic slug. */
const SYMBOLS = 32
/** Above this a number is not exact. */
const EXACT_LENGTH = 10

/** `32^length` in words: exact while a number can be, then as a power of ten. */
function combinations(length: number, number: (value: number) => string): string {
  if (length <= EXACT_LENGTH) return number(SYMBOLS ** length)
  const [mantissa = '', exponent = ''] = (SYMBOLS ** length).toExponential(1).split('e+')
  const raised = exponent
    .split('')
    .map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])
    .join('')
  return `≈ ${number(Number(mantissa))} × 10${raised}`
}

export function SlugLength({ slug_default_length }: Settings) {
  const { t, failure, number } = useText()
  const saving = useSaving()
  const [typed, setTyped] = useState<number | string>(slug_default_length)
  const isGood = typeof typed === 'number' && typed >= SHORTEST && typed <= LONGEST
  return (
    <Saved saving={saving}>
      <NumberInput
        label={t('settings.slugLength')}
        description={isGood && t('settings.slugLengthHelp', { combinations: combinations(typed, number) })}
        error={isGood ? saving.error && failure(saving.error) : t('settings.slugLengthBad')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        min={SHORTEST}
        max={LONGEST}
        clampBehavior="none"
        allowDecimal={false}
        allowNegative={false}
        value={typed}
        onChange={(value) => {
          setTyped(value)
          saving.reset()
          if (typeof value === 'number' && value >= SHORTEST && value <= LONGEST)
            saving.save({ slug_default_length: value })
        }}
      />
    </Saved>
  )
}

const RANGES = ['24h', '7d', '30d', '90d', '1y', 'all'] as const

export function DefaultRange({ default_range }: Settings) {
  const { t, failure } = useText()
  const saving = useSaving()
  return (
    <Saved saving={saving}>
      <Select
        label={t('settings.range')}
        description={t('settings.rangeHelp')}
        error={saving.error && failure(saving.error)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        allowDeselect={false}
        data={RANGES.map((value) => ({ value, label: t(`settings.range.${value}`) }))}
        value={default_range}
        onChange={(value) => value !== null && saving.save({ default_range: value })}
      />
    </Saved>
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
    <Saved saving={saving}>
      <Switch
        label={label}
        description={help}
        error={saving.error && failure(saving.error)}
        pr={72}
        checked={settings[name]}
        onChange={({ currentTarget }) => saving.save({ [name]: currentTarget.checked })}
      />
    </Saved>
  )
}

/** Saved when the field is left: a half-typed address must lead nobody astray. */
export function RootRedirect({ root_redirect_url }: Settings) {
  const { t, failure } = useText()
  const saving = useSaving()
  const stored = root_redirect_url ?? ''
  const [typed, setTyped] = useState<string>()
  const commit = () => {
    if (typed === undefined || typed.trim() === stored) return
    saving.save({ root_redirect_url: typed.trim() || null })
  }
  useWindowEvent('pagehide', commit)
  return (
    <Saved saving={saving}>
      <TextInput
        label={t('settings.root')}
        description={t('settings.rootHelp', { origin: me.origin })}
        error={saving.error && failure(saving.error)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        type="url"
        inputMode="url"
        placeholder="https://"
        value={typed ?? stored}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          saving.reset()
        }}
        onBlur={commit}
        onKeyDown={(event) => event.key === 'Enter' && !isComposing(event) && commit()}
      />
    </Saved>
  )
}
