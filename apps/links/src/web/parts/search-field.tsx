import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@latchkey/web/icons'
import { useRef, useState } from 'react'

interface Props {
  id?: string
  label: string
  value: string
  /** Called after a pause in typing. */
  onSearch: (value: string) => void
}

/** Search of a list. `value` is in the address, and follows the typed text after a pause. */
export function SearchField({ id, label, value, onSearch }: Props) {
  const [text, setText] = useState(value)
  const lastSearch = useRef(value)
  const search = useDebouncedCallback((next: string) => {
    lastSearch.current = next
    onSearch(next)
  }, 250)
  // The search changed without typing: it was cleared, or set by the command palette.
  if (value !== lastSearch.current) {
    lastSearch.current = value
    setText(value)
  }
  return (
    <TextInput
      {...(id !== undefined && { id })}
      className="list-search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        search(currentTarget.value)
      }}
    />
  )
}
