import { ActionIcon, Box, Button, Group, Stack, TextInput } from '@mantine/core'
import { isComposing } from '@latchkey/web/composing'
import { IconPencil } from '@latchkey/web/icons'
import { useMutation } from '@tanstack/react-query'
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react'
import { MAX_DATE_TIME, zoneOfField } from '../../parts/moment-field.ts'
import { useText } from '../../texts/text.ts'

interface Field {
  /** Label of the field. */
  label: string
  /** Label of the button that opens the field. */
  edit: string
  /** Initial value, in the format of the input `type`. */
  value: string
  type?: 'text' | 'datetime-local'
  maxLength?: number
  save: (value: string) => Promise<unknown>
  /** Returns a hint about a value before it is saved. */
  hint?: (value: string) => string | undefined
  /** Further fields for the same value. */
  extra?: (value: string, change: (value: string) => void) => ReactNode
  /** Label of the button that saves an empty value. Without it, there is no such button. */
  clear?: string
}

interface Props extends Field {
  mayEdit: boolean
  /** True if the displayed value is a heading. */
  large?: boolean
  children: ReactNode
}

/** Keeps the element mounted and readable for screen readers. */
const VISUALLY_HIDDEN: CSSProperties = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
}

/** A value that its owner edits in place. The typed text stays until it is saved or cancelled. */
export function EditInPlace({ mayEdit, large = false, children, ...field }: Props) {
  const [editing, setEditing] = useState(false)
  const editButton = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  useEffect(() => {
    if (wasEditing.current && !editing) editButton.current?.focus()
    wasEditing.current = editing
  }, [editing])
  return (
    <Box pos="relative" w="100%" miw={0}>
      <Group gap={6} wrap="nowrap" align="flex-start" style={editing ? VISUALLY_HIDDEN : undefined}>
        <Box miw={0}>{children}</Box>
        {mayEdit && !editing && (
          <ActionIcon
            ref={editButton}
            variant="subtle"
            color="gray"
            size={22}
            mt={large ? 5 : 0}
            aria-label={field.edit}
            title={field.edit}
            onClick={() => setEditing(true)}
          >
            <IconPencil size={15} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      {editing && <Form {...field} close={() => setEditing(false)} />}
    </Box>
  )
}

function Form({
  label,
  value,
  type = 'text',
  maxLength,
  save,
  hint,
  extra,
  clear,
  close,
}: Field & { close: () => void }) {
  const { t, language, failure } = useText()
  const [text, setText] = useState(value)
  const saving = useMutation({ mutationFn: save, onSuccess: close })
  const submit = (newValue: string) => (newValue === value ? close() : saving.mutate(newValue))
  const isMoment = type === 'datetime-local'
  const hintText = [isMoment && zoneOfField(text, language), hint?.(text)].filter(Boolean).join('. ')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit(text)
      }}
      onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && close()}
    >
      <Stack gap="xs" maw={640}>
        <TextInput
          aria-label={label}
          type={type}
          data-autofocus
          autoFocus
          dir={type === 'text' ? 'auto' : undefined}
          value={text}
          {...(maxLength !== undefined && { maxLength })}
          {...(isMoment && { max: MAX_DATE_TIME })}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={saving.error && failure(saving.error)}
          {...(hintText !== '' && {
            description: hintText,
            inputWrapperOrder: ['input', 'error', 'description'],
          })}
        />
        {extra?.(text, setText)}
        <Group gap="xs">
          <Button type="submit" size="compact-sm" loading={saving.isPending}>
            {t('link.save')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={close}>
            {t('link.cancel')}
          </Button>
          {clear !== undefined && value !== '' && (
            <Button size="compact-sm" variant="subtle" onClick={() => submit('')}>
              {clear}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
