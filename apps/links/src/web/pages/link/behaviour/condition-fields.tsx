import { ActionIcon, Chip, CloseButton, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { IconX } from '@latchkey/web/icons'
import {
  BROWSER_NAMES,
  DEVICE_TYPES,
  ISO_COUNTRIES,
  SYSTEM_NAMES,
} from '../../../../clicks/visitor-values.ts'
import { useValueNames } from '../../../analytics/value-names.ts'
import { MAX_DATE_TIME, zoneOfField } from '../../../parts/moment-field.ts'
import { useText } from '../../../texts/text.ts'
import {
  CONDITION_NAMES,
  type Condition,
  type ConditionName,
  fieldOf,
  isEmpty,
  newCondition,
} from '../../../parts/behaviour/conditions.ts'
import { dayNames, languageNames } from '../../../parts/behaviour/sentences.ts'

interface Props {
  conditions: readonly Condition[]
  onChange: (conditions: Condition[]) => void
  /** Text of the problem of the service at a field of the conditions. */
  errorAt: (field: string) => string | undefined
  /** Whether missing values are shown as errors. */
  isChecked: boolean
}

/** The conditions of a rule, all of which must hold. Each may be turned into its opposite. */
export function ConditionFields({ conditions, onChange, errorAt, isChecked }: Props) {
  const { t } = useText()
  const free = CONDITION_NAMES.filter(
    (name) => conditions.filter((condition) => condition.name === name).length < 2,
  )
  return (
    <Stack gap="sm" component="fieldset" className="plain-fieldset">
      <Text component="legend" size="sm" fw={500}>
        {t('behaviour.if')}
      </Text>
      {conditions.map((condition, index) => (
        <ConditionField
          key={`${condition.name}-${index}`}
          condition={condition}
          hasTwin={conditions.filter(({ name }) => name === condition.name).length > 1}
          error={errorAt(fieldOf(condition)) ?? (isChecked && isEmpty(condition) && t('behaviour.missing'))}
          onChange={(next) => onChange(conditions.with(index, next))}
          {...(conditions.length > 1 && { onRemove: () => onChange(conditions.toSpliced(index, 1)) })}
        />
      ))}
      <NativeSelect
        aria-label={t('behaviour.addCondition')}
        maw={260}
        value=""
        onChange={({ currentTarget }) =>
          onChange([...conditions, newCondition(currentTarget.value as ConditionName, conditions)])
        }
        data={[
          { value: '', label: t('behaviour.addCondition') },
          ...free.map((name) => ({ value: name, label: t(`behaviour.condition.${name}`) })),
        ]}
      />
    </Stack>
  )
}

interface FieldProps {
  condition: Condition
  onChange: (condition: Condition) => void
  error: string | false | undefined
}

interface ConditionProps extends FieldProps {
  hasTwin: boolean
  onRemove?: () => void
}

function ConditionField({ hasTwin, onRemove, ...props }: ConditionProps) {
  const { t } = useText()
  const { condition, onChange } = props
  const { name, isNegated } = condition
  const label = t(`behaviour.condition.${name}`)
  return (
    <div className="condition" role="group" aria-label={label}>
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" flex={1}>
          {label}
        </Text>
        <NativeSelect
          size="xs"
          aria-label={t('behaviour.isOrNot', { name: label })}
          disabled={hasTwin}
          value={isNegated ? 'not' : 'is'}
          onChange={({ currentTarget }) =>
            onChange({ ...condition, isNegated: currentTarget.value === 'not' })
          }
          data={[
            { value: 'is', label: t('behaviour.isAny') },
            { value: 'not', label: t('behaviour.isNone') },
          ]}
        />
        {onRemove && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('behaviour.removeCondition', { name: label })}
            onClick={onRemove}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      <ValueField {...props} label={label} />
    </div>
  )
}

const CHIPS = { device: DEVICE_TYPES, os: SYSTEM_NAMES, browser: BROWSER_NAMES } as const

function ValueField({ label, ...props }: FieldProps & { label: string }) {
  const { name } = props.condition
  if (name === 'device' || name === 'os' || name === 'browser')
    return <ChipField {...props} dimension={name} values={CHIPS[name]} />
  if (name === 'country') return <CountryField {...props} />
  if (name === 'hours') return <HoursField {...props} />
  return <TypedField {...props} label={label} />
}

function ErrorText({ error }: Pick<FieldProps, 'error'>) {
  if (!error) return null
  return (
    <Text size="xs" c="var(--mantine-color-error)" role="alert">
      {error}
    </Text>
  )
}

interface ChipProps extends FieldProps {
  dimension: 'device' | 'os' | 'browser'
  values: readonly string[]
}

function ChipField({ condition, onChange, error, dimension, values }: ChipProps) {
  const nameOf = useValueNames()
  return (
    <>
      <Chip.Group
        multiple
        value={[...condition.values]}
        onChange={(next) => onChange({ ...condition, values: next })}
      >
        <Group gap={6}>
          {values.map((value) => (
            <Chip key={value} value={value} size="xs" variant="outline">
              {nameOf(dimension, value)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <ErrorText error={error} />
    </>
  )
}

function CountryField({ condition, onChange, error }: FieldProps) {
  const { t, language } = useText()
  const nameOf = useValueNames()
  const { values } = condition
  const collator = new Intl.Collator(language)
  const countries = [...ISO_COUNTRIES]
    .filter((code) => !values.includes(code))
    .map((value) => ({ value, label: nameOf('country', value) }))
    .toSorted((a, b) => collator.compare(a.label, b.label))
  return (
    <>
      {values.length > 0 && (
        <Group gap={6}>
          {values.map((code) => (
            <span key={code} className="pill">
              {nameOf('country', code)}
              <CloseButton
                size="xs"
                aria-label={t('behaviour.removeValue', { name: nameOf('country', code) })}
                onClick={() => onChange({ ...condition, values: values.filter((value) => value !== code) })}
              />
            </span>
          ))}
        </Group>
      )}
      <NativeSelect
        aria-label={t('behaviour.addCountry')}
        value=""
        error={error}
        onChange={({ currentTarget }) => onChange({ ...condition, values: [...values, currentTarget.value] })}
        data={[{ value: '', label: t('behaviour.addCountry') }, ...countries]}
      />
    </>
  )
}

function TypedField({ condition, onChange, error, label }: FieldProps & { label: string }) {
  const { t, language } = useText()
  const { name, text } = condition
  const isMoment = name === 'after' || name === 'before'
  const hints: Partial<Record<ConditionName, string>> = {
    language: languageHint(text, language) || t('behaviour.hint.language'),
    referrer_host: t('behaviour.hint.referrer_host'),
    query: t('behaviour.hint.query'),
  }
  return (
    <TextInput
      aria-label={label}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      required
      {...(isMoment && { type: 'datetime-local', max: MAX_DATE_TIME })}
      description={isMoment ? zoneOfField(text, language) : hints[name]}
      inputWrapperOrder={['input', 'description', 'error']}
      value={text}
      error={error}
      onChange={({ currentTarget }) => onChange({ ...condition, text: currentTarget.value })}
    />
  )
}

/** The names of the languages that were typed. */
function languageHint(text: string, language: string): string {
  const tags = text.split(/[\s,;]+/).filter(Boolean)
  return tags.map(languageNames(language)).join(', ')
}

function HoursField({ condition, onChange, error }: FieldProps) {
  const { t, language } = useText()
  const { hours } = condition
  const change = (changes: Partial<Condition['hours']>) =>
    onChange({ ...condition, hours: { ...hours, ...changes } })
  return (
    <>
      <Chip.Group
        multiple
        value={hours.days.map(String)}
        onChange={(days) => change({ days: days.map(Number) })}
      >
        <Group gap={6}>
          {dayNames(language).map((day, index) => (
            <Chip key={day} value={String(index + 1)} size="xs" variant="outline">
              {day}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Group gap="xs">
        {(['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            type="time"
            required
            label={t(`behaviour.hours.${end}`)}
            value={hours[end]}
            onChange={({ currentTarget }) => change({ [end]: currentTarget.value })}
          />
        ))}
      </Group>
      <Text size="xs" c="dimmed">
        {t('behaviour.hoursHelp', { zone: hours.tz })}
      </Text>
      <ErrorText error={error} />
    </>
  )
}
