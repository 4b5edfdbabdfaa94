import { Alert, Button, Group, Paper, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Input, call } from '../../call.ts'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

const EMPTY = { url: '', label: '', slug: '', expires: '' }

/** What was typed stays until the link is made. */
export function CreateRow() {
  const { say, failure } = useText()
  const [typed, setTyped] = useState(EMPTY)
  const create = useMutation({
    mutationFn: (body: Input<'createLink'>['body']) => call('createLink', { body }),
    async onSuccess() {
      setTyped(EMPTY)
      notifications.show({ message: say('links.created'), withCloseButton: false })
      await changed('links', 'totals')
    },
  })
  const submit = () =>
    create.mutate({
      url: typed.url,
      ...(typed.label && { label: typed.label }),
      ...(typed.slug && { slug: typed.slug }),
      ...(typed.expires && { expires_at: Math.floor(Date.parse(typed.expires) / 1000) }),
    })
  const field = (name: keyof typeof EMPTY) => ({
    label: say(`links.${name}`),
    value: typed[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setTyped((before) => ({ ...before, [name]: value })),
  })
  return (
    <Paper
      withBorder
      p="md"
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Group align="end" gap="sm">
        <TextInput {...field('url')} required placeholder="https://" flex="3 1 260px" />
        <TextInput {...field('label')} flex="1 1 140px" />
        <TextInput {...field('slug')} flex="1 1 120px" />
        <TextInput {...field('expires')} type="datetime-local" flex="1 1 190px" />
        <Button type="submit" loading={create.isPending}>
          {say('links.create')}
        </Button>
      </Group>
      {create.error && (
        <Alert color="red" mt="sm" role="alert">
          {failure(create.error)}
        </Alert>
      )}
    </Paper>
  )
}
