import { Button, Group, TextInput } from '@mantine/core'
import { IconSearch } from '@latchkey/web/icons'
import { type FormEvent, useRef, useState } from 'react'
import { useText } from '../../texts/text.ts'
import { useFieldText } from './use-field-text.ts'

interface Props {
  label: string
  help: string
  /** Current search. */
  q: string
  /** Minimum number of characters of a search. */
  minLength: number
  onSearch: (q: string) => void
}

/** Searches on submit, not on every keystroke: searches have a rate limit (R22). */
export function Search({ label, help, q, minLength, onSearch }: Props) {
  const { t } = useText()
  const [text, setText] = useFieldText(q)
  const [tooShort, setTooShort] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const trimmed = text.trim()
    const { length } = Array.from(trimmed)
    if (length === 0 || length >= minLength) return onSearch(trimmed)
    setTooShort(text)
    field.current?.focus()
  }
  return (
    <form role="search" onSubmit={submit} noValidate>
      <Group align="flex-start" gap="sm" wrap="nowrap">
        <TextInput
          ref={field}
          type="search"
          label={label}
          description={help}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          error={text === tooShort && t('admin.searchShort')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          maxLength={320}
          style={{ flex: 1, minWidth: 0 }}
          maw={420}
        />
        <Button type="submit" variant="default" mt={20} flex="none">
          {t('admin.search')}
        </Button>
      </Group>
    </form>
  )
}
