import { Button, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { showSuccess } from '@latchkey/web/toast'
import { useText } from '../../texts/text.ts'
import type { Link } from './link.ts'

export function AddSlug({ link, close }: { link: Link; close: () => void }) {
  const { t, failure } = useText()
  const [text, setText] = useState('')
  const add = useMutation({
    mutationFn: (slug: string) => call('addSlug', { params: { id: link.id }, body: { slug } }),
    async onSuccess({ slug }) {
      await invalidate('links')
      close()
      showSuccess(t('link.slugAdded', { slug }))
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate(text.trim())
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t('link.newSlug')}
          description={t('link.newSlugHelp')}
          data-autofocus
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={add.error && failure(add.error)}
        />
        <Button type="submit" loading={add.isPending} style={{ alignSelf: 'flex-end' }}>
          {t('link.add')}
        </Button>
      </Stack>
    </form>
  )
}
