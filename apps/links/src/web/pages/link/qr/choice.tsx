import { Input } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface Props<Value extends string> {
  label: string
  options: readonly { value: Value; label: string; drawing: ReactNode }[]
  value: Value
  onChange: (value: Value) => void
  error?: string | undefined
}

/** A choice of one of a few drawings, each with its name. */
export function Choice<Value extends string>({ label, options, value, onChange, error }: Props<Value>) {
  const id = useId()
  return (
    <fieldset className="choice" aria-describedby={error === undefined ? undefined : `${id}-error`}>
      <legend>{label}</legend>
      <div className="choice-tiles">
        {options.map((option) => (
          <label key={option.value} className="choice-tile">
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <svg viewBox="0 0 28 28" width={28} height={28} aria-hidden>
              {option.drawing}
            </svg>
            <span>{option.label}</span>
          </label>
        ))}
      </div>
      {error !== undefined && (
        <Input.Error id={`${id}-error`} role="alert" mt={4}>
          {error}
        </Input.Error>
      )}
    </fieldset>
  )
}
