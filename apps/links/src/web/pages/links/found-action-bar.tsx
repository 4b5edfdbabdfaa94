import { Button, CloseButton, Group, Modal, Stack, Text } from '@mantine/core'
import { showSuccess } from '@latchkey/web/toast'
import { useState } from 'react'
import { useText } from '../../texts/text.ts'
import { AddToBundle } from './add-to-bundle.tsx'
import { ChangeButtons } from './change-buttons.tsx'
import type { ChangeKind } from './change-form.tsx'
import { ChangeFound } from './change-links.tsx'
import { type FoundActions, useFoundActions } from './use-found-actions.ts'
import { type View, filterOf } from './view.ts'

interface Props {
  view: View
  total: number
  onDone: () => void
}

/** Actions for all links that the filter has found, also on other pages. */
export function FoundActionBar({ view, total, onDone }: Props) {
  const { t, number } = useText()
  const actions = useFoundActions(filterOf(view))
  const [dialog, setDialog] = useState<FoundDialogKind>()
  const isBusy = actions.done !== undefined
  const thenDone = (act: () => Promise<unknown>) => () => void act().then(onDone)
  const label = isBusy
    ? t('links.working', { done: number(actions.done ?? 0), total: number(total) })
    : t('links.allSelected', { count: total })
  return (
    <div className="action-bar" role="group" aria-label={t('links.allSelected', { count: total })}>
      <Text size="sm" fw={500} className="figure" role="status">
        {label}
      </Text>
      <Button size="compact-sm" variant="default" disabled={isBusy} onClick={() => setDialog('bundle')}>
        {t('bundles.addLink')}
      </Button>
      <ChangeButtons isBusy={isBusy} onChoose={setDialog} />
      <Button size="compact-sm" variant="default" disabled={isBusy} onClick={thenDone(actions.disable)}>
        {t('links.disable')}
      </Button>
      <Button size="compact-sm" variant="default" disabled={isBusy} onClick={thenDone(actions.enable)}>
        {t('links.enable')}
      </Button>
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        disabled={isBusy}
        onClick={() => setDialog('delete')}
      >
        {t('links.delete')}
      </Button>
      <CloseButton aria-label={t('links.clearSelection')} disabled={isBusy} onClick={onDone} />
      <FoundDialog
        kind={dialog}
        actions={actions}
        total={total}
        onClose={() => setDialog(undefined)}
        onDone={onDone}
      />
    </div>
  )
}

type FoundDialogKind = 'delete' | 'bundle' | ChangeKind

interface DialogProps {
  kind: FoundDialogKind | undefined
  actions: FoundActions
  total: number
  onClose: () => void
  onDone: () => void
}

function FoundDialog({ kind, actions, total, onClose, onDone }: DialogProps) {
  const { t } = useText()
  const titles = {
    bundle: t('bundles.addLink'),
    expiry: t('links.setExpiry'),
    owner: t('links.transfer'),
    delete: t('links.deleteFound', { count: total }),
  }
  const deleteFound = async () => {
    const count = await actions.remove()
    showSuccess(t('links.deletedFound', { count }))
    onDone()
  }
  return (
    <Modal
      opened={kind !== undefined}
      onClose={onClose}
      title={kind && titles[kind]}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      {kind === 'bundle' && <AddToBundle ids={[]} add={actions.addToBundle} onDone={onDone} />}
      {(kind === 'expiry' || kind === 'owner') && (
        <ChangeFound kind={kind} actions={actions} onDone={onDone} />
      )}
      {kind === 'delete' && (
        <DeleteFound
          isBusy={actions.done !== undefined}
          onCancel={onClose}
          onDelete={() => void deleteFound()}
        />
      )}
    </Modal>
  )
}

interface DeleteProps {
  isBusy: boolean
  onCancel: () => void
  onDelete: () => void
}

function DeleteFound({ isBusy, onCancel, onDelete }: DeleteProps) {
  const { t } = useText()
  return (
    <Stack gap="md">
      <Text size="sm">{t('links.deleteFoundHelp')}</Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" data-autofocus onClick={onCancel}>
          {t('link.cancel')}
        </Button>
        <Button color="red" loading={isBusy} onClick={onDelete}>
          {t('links.delete')}
        </Button>
      </Group>
    </Stack>
  )
}
