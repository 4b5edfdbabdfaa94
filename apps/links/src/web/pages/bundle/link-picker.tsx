import { Box, Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCheck, IconSearch } from '@latchkey/web/icons'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Result, call } from '../../call.ts'
import { invalidate, useCall } from '../../queries.ts'
import { primarySlugName } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import type { Stats } from './types.ts'

type Link = Result<'listLinks'>[number]

const PER_PAGE = 20

interface Props {
  stats: Stats
  opened: boolean
  onClose: () => void
}

/** Searches for links to add to the bundle. Stays open after each one. */
export function LinkPicker({ stats, opened, onClose }: Props) {
  const { t } = useText()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('bundles.addTo', { name: stats.bundle.name })}
      size="lg"
      closeButtonProps={{ 'aria-label': t('shell.close') }}
      styles={{ title: { overflowWrap: 'anywhere' } }}
    >
      <LinkSearch stats={stats} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {t('bundles.done')}
        </Button>
      </Group>
    </Modal>
  )
}

function LinkSearch({ stats }: { stats: Stats }) {
  const { t, failure } = useText()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 250)
  const links = useCall('links', 'listLinks', { query: { search, page: 1, per_page: PER_PAGE } })
  const members = new Set(stats.per_link.map((member) => member.link_id))
  const results = links.data?.body ?? []
  const moreCount = (links.data?.total ?? 0) - results.length
  const error = links.error && !links.data ? failure(links.error) : undefined
  return (
    <Stack gap="sm">
      <TextInput
        aria-label={t('bundles.search')}
        placeholder={t('bundles.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={error}
        data-autofocus
      />
      <Box mah="50vh" style={{ overflowY: 'auto' }}>
        {links.isPending && <Skeleton height={200} />}
        {links.data && results.length === 0 && (
          <Text c="dimmed" ta="center" py="lg" role="status">
            {t(search === '' ? 'bundles.noLinks' : 'bundles.noneFound')}
          </Text>
        )}
        <Box component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {results.map((link) => (
            <LinkChoice key={link.id} link={link} bundle={stats.bundle.id} isMember={members.has(link.id)} />
          ))}
        </Box>
        {moreCount > 0 && <MoreResults count={moreCount} />}
      </Box>
    </Stack>
  )
}

function MoreResults({ count }: { count: number }) {
  const { t, number } = useText()
  return (
    <Text size="sm" c="dimmed" py="xs">
      {t('bundles.moreFound', { additional: number(count) })}
    </Text>
  )
}

function LinkChoice({ link, bundle, isMember }: { link: Link; bundle: number; isMember: boolean }) {
  const { t, failure } = useText()
  const add = useMutation({
    mutationFn: () => call('addLinkToBundle', { params: { id: bundle }, body: { link_id: link.id } }),
    onSuccess: () => invalidate('bundles'),
  })
  const slug = primarySlugName(link)
  const name = link.label ?? slug
  const isAdded = isMember || add.isSuccess
  return (
    <Group component="li" wrap="nowrap" gap="md" py={8} pr="sm">
      <Box flex={1} miw={0}>
        <Text size="sm" fw={500} truncate dir="auto" title={name}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate title={link.url}>
          {link.label !== null && `${slug} · `}
          {link.url}
        </Text>
        {add.error && (
          <Text size="xs" c="red" role="alert">
            {failure(add.error)}
          </Text>
        )}
      </Box>
      <Button
        size="compact-sm"
        variant={isAdded ? 'transparent' : 'light'}
        {...(isAdded && { c: 'dimmed' })}
        leftSection={isAdded && <IconCheck size={14} aria-hidden />}
        loading={add.isPending}
        // `disabled` would lose the focus.
        aria-disabled={isAdded}
        aria-label={isAdded ? `${t('bundles.added')}: ${name}` : t('bundles.addNamed', { name })}
        onClick={() => !isAdded && add.mutate()}
      >
        {t(isAdded ? 'bundles.added' : 'bundles.add')}
      </Button>
    </Group>
  )
}
