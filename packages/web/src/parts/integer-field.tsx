import { TextInput, type TextInputProps } from '@mantine/core'
import type { KeyboardEvent } from 'react'

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** Null while the field is empty. */
  value: number | null
  onChange: (value: number | null) => void
  min?: number
  max?: number
  /** Difference by which the arrow keys change the number. */
  step?: number
}

/**
 * A field for a whole number, of which only digits can be typed. A number above `max` becomes `max`
 * at once, one below `min` becomes `min` when the field loses the focus.
 */
export function IntegerField({ value, onChange, min = 0, max = Infinity, step = 1, ...props }: Props) {
  const stepOn = (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (direction === 0) return
    event.preventDefault()
    onChange(Math.min(max, Math.max(min, (value ?? min) + direction * step)))
  }
  return (
    <TextInput
      {...props}
      inputMode="numeric"
      maxLength={MAX_DIGITS}
      value={value ?? ''}
      onChange={({ currentTarget }) => {
        const digits = currentTarget.value.replace(/\D/g, '')
        const next = digits === '' ? null : Math.min(max, Number(digits))
        // Also where the number, and with it the page, does not change.
        currentTarget.value = String(next ?? '')
        onChange(next)
      }}
      onKeyDown={stepOn}
      onBlur={() => (value ?? min - 1) < min && min > 0 && onChange(min)}
    />
  )
}

/** More would be no safe integer. */
const MAX_DIGITS = 15
