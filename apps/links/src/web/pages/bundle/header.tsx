import { Anchor, Badge, Box, Button, Group, Stack, Text } from '@mantine/core'
import { IconArrowLeft, IconPlus } from '@latchkey/web/icons'
import { useState } from 'react'
import { Link } from 'wouter'
import { PageHeading } from '@latchkey/web/shell/heading'
import { useText } from '../../texts/text.ts'
import type { Stats } from './types.ts'
import { BundleIcon } from '../bundles/accent.tsx'
import { BundleActions, isArchived, isMine } from '../bundles/actions.tsx'
import { usePending } from '../../parts/pending.ts'
import { ShareButton } from '../../parts/share.tsx'
import { LinkPicker } from './link-picker.tsx'

interface Props {
  /** Undefined while loading, and for a bundle that does not exist. */
  stats: Stats | undefined
  onDeleted: () => void
}

export function BundleHeader({ stats, onDeleted }: Props) {
  const { t } = useText()
  const bundle = stats?.bundle
  return (
    <Stack gap="sm">
      <Anchor component={Link} href="/bundles" size="sm" c="dimmed" w="fit-content">
        <Group gap={4} wrap="nowrap">
          <IconArrowLeft size={14} aria-hidden />
          {t('bundles.toList')}
        </Group>
      </Anchor>
      <Group justify="space-between" align="flex-start" gap="md">
        <Group gap="md" wrap="nowrap" align="flex-start" flex="1 1 320px" miw={0}>
          {bundle && <BundleIcon icon={bundle.icon} accent={bundle.accent} />}
          <Box miw={0}>
            <PageHeading
              title={bundle?.name ?? t('bundles.bundle')}
              lh={1.3}
              mt={4}
              dir="auto"
              style={{ overflowWrap: 'anywhere' }}
            />
            {bundle && <About bundle={bundle} />}
          </Box>
        </Group>
        {bundle && (
          <Group gap="xs">
            <AddLinks stats={stats} />
            {isMine(bundle) && <ShareButton kind="bundle" id={bundle.id} />}
            <BundleActions bundle={bundle} onDeleted={onDeleted} />
          </Group>
        )}
      </Group>
    </Stack>
  )
}

function About({ bundle }: { bundle: Stats['bundle'] }) {
  const { t, day, moment } = useText()
  const pending = usePending()
  return (
    <>
      {bundle.description !== null && (
        <Text mt={4} maw="70ch" dir="auto" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
          {bundle.description}
        </Text>
      )}
      <Group gap="xs" mt={4}>
        {isArchived(bundle, pending) && (
          <Badge variant="default" tt="none" fw={500}>
            {t('bundles.archivedOne')}
          </Badge>
        )}
        <Text
          size="sm"
          c="dimmed"
          title={moment(bundle.created_at)}
          miw={0}
          style={{ overflowWrap: 'anywhere' }}
        >
          {t('bundles.createdBy', { owner: bundle.created_by, day: day(bundle.created_at) })}
        </Text>
      </Group>
    </>
  )
}

function AddLinks({ stats }: { stats: Stats }) {
  const { t } = useText()
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpened(true)}>
        {t('bundles.addLinks')}
      </Button>
      <LinkPicker stats={stats} opened={opened} onClose={() => setOpened(false)} />
    </>
  )
}
