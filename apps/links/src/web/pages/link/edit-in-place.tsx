import { ActionIcon, Box, Button, Group, Stack, TextInput } from '@mantine/core'
import { isComposing } from '@latchkey/web/composing'
import { IconPencil } from '@latchkey/web/icons'
import { useMutation } from '@tanstack/react-query'
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react'
import { useText } from '../../texts/text.ts'
import { MAX_DATE_TIME } from './moment.ts'

interface Field {
  /** What is edited, for the field; and the words of the button that begins it. */
  label: string
  edit: string
  /** What the field begins with; moments as the browser's own field has them. */
  value: string
  type?: 'text' | 'datetime-local'
  maxLength?: number
  save: (value: string) => Promise<unknown>
  /** A word about what is typed, before it is saved. */
  hint?: (value: string) => string | undefined
  /** Offers to save nothing at all, in these words. */
  clear?: string
}

interface Props extends Field {
  mayEdit: boolean
  /** What is shown is a heading. */
  large?: boolean
  children: ReactNode
}

/** Still read out and still in the same place of the page, so that nothing is built anew. */
const VISUALLY_HIDDEN: CSSProperties = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
}

/** Something shown that its owner edits where it stands. What was typed stays until it is saved or given up. */
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
  clear,
  close,
}: Field & { close: () => void }) {
  const { t, failure } = useText()
  const [text, setText] = useState(value)
  const saving = useMutation({ mutationFn: save, onSuccess: close })
  const submit = (newValue: string) => (newValue === value ? close() : saving.mutate(newValue))
  const hintText = hint?.(text)
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
          {...(type === 'datetime-local' && { max: MAX_DATE_TIME })}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={saving.error && failure(saving.error)}
          {...(hintText !== undefined && {
            description: hintText,
            inputWrapperOrder: ['input', 'error', 'description'],
          })}
        />
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
