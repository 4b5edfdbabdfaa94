import { Anchor, Button, Flex, Group, Text, TextInput } from '@mantine/core'
import { IconCheck } from '@latchkey/web/icons'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type Result, call } from '../../call.ts'
import { Copy } from '@latchkey/web/parts/copy'
import { showError } from '@latchkey/web/toast'
import { createLink, withDefaults } from '../../link-dialogs/create-link.ts'
import { shortUrl, withoutScheme } from '../../parts/short-url.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { parseUrlInput } from '../../parts/url-input.ts'

/**
 * Field that shortens a URL and searches for other text. The text stays until the link is created.
 */
export function SmartInput() {
  const { t, failure } = useText()
  const [text, setText] = useState('')
  const [, go] = useLocation()
  const create = useMutation({
    mutationFn: async (url: string) =>
      createLink(withDefaults(url, await call('getDefaults', {})), (error) => showError(failure(error))),
    async onSuccess(_, sentUrl) {
      // Text that was typed after the request stays.
      setText((current) => (parseUrlInput(current) === sentUrl ? '' : current))
      await invalidate('links', 'bundles', 'totals')
    },
  })
  const url = parseUrlInput(text)
  const submit = () => {
    const searchText = text.trim()
    if (url !== undefined) create.mutate(url)
    else if (searchText !== '') go(`/links?${new URLSearchParams({ search: searchText })}`)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!create.isPending) submit()
      }}
    >
      <Flex direction={{ base: 'column', xs: 'row' }} align={{ base: 'stretch', xs: 'flex-start' }} gap="sm">
        <TextInput
          aria-label={t('dashboard.input')}
          placeholder={t('dashboard.input')}
          size="md"
          flex={1}
          autoComplete="off"
          value={text}
          error={create.error && failure(create.error)}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            if (create.error) create.reset()
          }}
        />
        <Button type="submit" size="md" loading={create.isPending}>
          {t(url !== undefined || text.trim() === '' ? 'links.create' : 'dashboard.search')}
        </Button>
      </Flex>
      <div role="status">{create.data && <CreatedLink link={create.data} />}</div>
    </form>
  )
}

function CreatedLink({ link }: { link: Result<'createLink'> }) {
  const { t } = useText()
  const createdUrl = shortUrl(link)
  return (
    <Group gap="sm" mt="md">
      <IconCheck size={18} aria-hidden />
      <Text size="sm">{t(link.duplicate ? 'dashboard.exists' : 'dashboard.created')}</Text>
      <Group gap={4} wrap="nowrap" maw="100%">
        <Anchor href={createdUrl} target="_blank" rel="noreferrer" fw={600} truncate>
          {withoutScheme(createdUrl)}
        </Anchor>
        <Copy value={createdUrl} />
      </Group>
      <Anchor component={Link} href={`/links/${link.id}`} size="sm">
        {t('dashboard.details')}
      </Anchor>
    </Group>
  )
}
