import { useState } from 'react'

/**
 * State of fields with an external source, such as the query string. A change of the source, such
 * as by a link, replaces the state. The focus stays.
 */
export function useFieldText<Value>(source: Value) {
  const [value, setValue] = useState(source)
  const current = JSON.stringify(source)
  const [previous, setPrevious] = useState(current)
  if (current !== previous) {
    setPrevious(current)
    setValue(source)
  }
  return [value, setValue] as const
}
