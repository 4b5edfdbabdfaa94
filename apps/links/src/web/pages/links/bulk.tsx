import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { isMine } from '../link/link.ts'
import { useText } from '../../texts/text.ts'
import type { LinkRow } from './link-table.tsx'
import type { LinkWork } from './work.tsx'

interface Props {
  links: readonly LinkRow[]
  work: LinkWork
  onBundle: () => void
  /** Afterwards nothing is selected any more. */
  onDone: () => void
}

/** What can be done to all selected links. */
export function Bulk({ links, work, onBundle, onDone }: Props) {
  const { t } = useText()
  const allMine = links.every(isMine)
  const some = (disabled: boolean) => links.some(({ disabled_at }) => (disabled_at !== null) === disabled)
  const then = (act: (chosen: readonly LinkRow[]) => void) => () => {
    act(links)
    onDone()
  }
  const [isLooking, setLooking] = useState(false)
  const remove = async () => {
    setLooking(true)
    if (await work.remove(links)) onDone()
    setLooking(false)
  }
  return (
    <Group gap="xs" role="group" aria-label={t('links.selected', { count: links.length })}>
      <Text size="sm" fw={550} mr="xs">
        {t('links.selected', { count: links.length })}
      </Text>
      <Button size="compact-sm" variant="default" onClick={onBundle}>
        {t('bundles.addLink')}
      </Button>
      {allMine && some(false) && (
        <Button size="compact-sm" variant="default" onClick={then(work.disable)}>
          {t('links.disable')}
        </Button>
      )}
      {allMine && some(true) && (
        <Button size="compact-sm" variant="default" onClick={then(work.enable)}>
          {t('links.enable')}
        </Button>
      )}
      {allMine && (
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          loading={isLooking}
          onClick={() => void remove()}
        >
          {t('links.delete')}
        </Button>
      )}
      {!allMine && (
        <Text size="sm" c="dimmed">
          {t('links.foreign')}
        </Text>
      )}
    </Group>
  )
}
