import { Box, Button, Divider, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { primarySlug } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import type { LinkRow } from './types.ts'
import type { BulkActions } from './use-bulk-actions.tsx'

/** Lists links with clicks. Offers to disable them, or to delete each with its clicks. */
export function BlockedDeletions({
  links,
  actions,
  close,
}: {
  links: readonly LinkRow[]
  actions: BulkActions
  close: () => void
}) {
  const { t } = useText()
  const [deletedIds, setDeletedIds] = useState<readonly number[]>([])
  const remaining = links.filter(({ id }) => !deletedIds.includes(id))
  const active = remaining.filter(({ disabled_at }) => disabled_at === null)
  const deleteLink = (link: LinkRow) => {
    actions.removeWithClicks(link)
    setDeletedIds([...deletedIds, link.id])
    if (remaining.length === 1) close()
  }
  return (
    <Stack gap="md">
      <Text size="sm">{t('links.blockedHelp')}</Text>
      {active.length > 0 && (
        <Button
          data-autofocus
          style={{ alignSelf: 'flex-start' }}
          onClick={() => {
            actions.disable(active)
            close()
          }}
        >
          {t('links.disableAll', { count: active.length })}
        </Button>
      )}
      {remaining.map((link) => (
        <BlockedLink key={link.id} link={link} onDelete={() => deleteLink(link)} />
      ))}
    </Stack>
  )
}

function BlockedLink({ link, onDelete }: { link: LinkRow; onDelete: () => void }) {
  const { t } = useText()
  const [text, setText] = useState('')
  const slug = primarySlug(link)
  const count = link.total_clicks
  const isMatch = text.trim().toLowerCase() === slug
  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isMatch) onDelete()
      }}
    >
      <Divider mb="md" />
      <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
        {link.label ?? link.url}
      </Text>
      <Text size="sm" c="dimmed">
        {count > 0 ? t('links.clickCount', { count }) : t('links.blockedHidden')}
      </Text>
      <Group justify="flex-end" gap="sm" mt="xs">
        <TextInput
          label={t('links.typeSlug', { slug })}
          labelProps={{ style: { overflowWrap: 'anywhere' } }}
          flex="1 1 100%"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit" color="red" variant="light" disabled={!isMatch}>
          {t('links.deleteForced')}
        </Button>
      </Group>
    </Box>
  )
}
