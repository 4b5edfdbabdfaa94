import { Button, CloseButton, Text } from '@mantine/core'
import { useState } from 'react'
import { ChangeButtons } from './change-buttons.tsx'
import type { ChangeKind } from './change-form.tsx'
import { isMine } from '../link/link.ts'
import { useText } from '../../texts/text.ts'
import type { LinkRow } from './types.ts'
import type { BulkActions } from './use-bulk-actions.tsx'

interface Props {
  links: readonly LinkRow[]
  actions: BulkActions
  onBundle: () => void
  onChange: (kind: ChangeKind) => void
  /** Number of links on all pages, if there are more than the selected ones. */
  foundTotal: number | undefined
  onSelectFound: () => void
  /** Clears the selection. */
  onDone: () => void
}

/** Actions for the selected links. Floats above the list, so that the list does not move. */
export function BulkActionBar({
  links,
  actions,
  onBundle,
  onChange,
  foundTotal,
  onSelectFound,
  onDone,
}: Props) {
  const { t } = useText()
  const areAllMine = links.every(isMine)
  return (
    <div className="action-bar" role="group" aria-label={t('links.selected', { count: links.length })}>
      <Text size="sm" fw={500} className="figure">
        {t('links.selected', { count: links.length })}
      </Text>
      {foundTotal !== undefined && (
        <Button size="compact-sm" variant="subtle" onClick={onSelectFound}>
          {t('links.selectFound', { count: foundTotal })}
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={onBundle}>
        {t('bundles.addLink')}
      </Button>
      {areAllMine && <OwnerActions links={links} actions={actions} onChange={onChange} onDone={onDone} />}
      {!areAllMine && (
        <Text size="sm" c="dimmed" className="bulk-note">
          {t('links.foreign')}
        </Text>
      )}
      <CloseButton aria-label={t('links.clearSelection')} onClick={onDone} />
    </div>
  )
}

/** Actions that only the owner of all selected links may take. */
function OwnerActions({
  links,
  actions,
  onChange,
  onDone,
}: Pick<Props, 'links' | 'actions' | 'onChange' | 'onDone'>) {
  const { t } = useText()
  const hasSome = (disabled: boolean) => links.some(({ disabled_at }) => (disabled_at !== null) === disabled)
  const thenDone = (act: (links: readonly LinkRow[]) => void) => () => {
    act(links)
    onDone()
  }
  const [isChecking, setChecking] = useState(false)
  const deleteLinks = async () => {
    setChecking(true)
    if (await actions.remove(links)) onDone()
    setChecking(false)
  }
  return (
    <>
      <ChangeButtons onChoose={onChange} />
      {hasSome(false) && (
        <Button size="compact-sm" variant="default" onClick={thenDone(actions.disable)}>
          {t('links.disable')}
        </Button>
      )}
      {hasSome(true) && (
        <Button size="compact-sm" variant="default" onClick={thenDone(actions.enable)}>
          {t('links.enable')}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        loading={isChecking}
        onClick={() => void deleteLinks()}
      >
        {t('links.delete')}
      </Button>
    </>
  )
}
