import { Box, Button, Divider, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { primarySlug } from '../../parts/short.ts'
import { useText } from '../../texts/text.ts'
import type { LinkRow } from './link-table.tsx'
import type { LinkWork } from './work.tsx'

/** Links that cannot be deleted just like that, and the two ways on. */
export function Blocked({
  links,
  work,
  close,
}: {
  links: readonly LinkRow[]
  work: LinkWork
  close: () => void
}) {
  const { t } = useText()
  const [gone, setGone] = useState<readonly number[]>([])
  const rest = links.filter(({ id }) => !gone.includes(id))
  const active = rest.filter(({ disabled_at }) => disabled_at === null)
  const remove = (link: LinkRow) => {
    work.removeWithClicks(link)
    setGone([...gone, link.id])
    if (rest.length === 1) close()
  }
  return (
    <Stack gap="md">
      <Text size="sm">{t('links.blockedHelp')}</Text>
      {active.length > 0 && (
        <Button
          data-autofocus
          style={{ alignSelf: 'flex-start' }}
          onClick={() => {
            work.disable(active)
            close()
          }}
        >
          {t('links.disableAll', { count: active.length })}
        </Button>
      )}
      {rest.map((link) => (
        <One key={link.id} link={link} onDelete={() => remove(link)} />
      ))}
    </Stack>
  )
}

function One({ link, onDelete }: { link: LinkRow; onDelete: () => void }) {
  const { t } = useText()
  const [typed, setTyped] = useState('')
  const slug = primarySlug(link)
  const count = link.total_clicks
  const isRight = typed.trim().toLowerCase() === slug
  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isRight) onDelete()
      }}
    >
      <Divider mb="md" />
      <Text fw={550} style={{ overflowWrap: 'anywhere' }}>
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
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit" color="red" variant="light" disabled={!isRight}>
          {t('links.deleteForced')}
        </Button>
      </Group>
    </Box>
  )
}
