import { ActionIcon, Menu } from '@mantine/core'
import { showError } from '@latchkey/web/toast'
import { IconArchive, IconArchiveOff, IconDots, IconPencil, IconTrash } from '@latchkey/web/icons'
import { useRef, useState } from 'react'
import { type Result, call } from '../../call.ts'
import { me } from '../../me.ts'
import { withUndo } from '@latchkey/web/parts/undo'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { BundleDialog } from './dialog.tsx'
import { bundleArchivingOf, bundleDeletionOf, usePending } from '../../parts/pending.ts'
import { useUndoableAction } from './use-undoable-action.ts'

export type Bundle = Result<'updateBundle'>

/** Only the owner may change a bundle. Any user may add links to it. */
export const isMine = (bundle: Bundle) => bundle.created_by === me.identity

/** True for an archived bundle, and while its archiving can still be undone. */
export const isArchived = (bundle: Bundle, pending: ReadonlySet<string>) =>
  bundle.archived_at !== null || pending.has(bundleArchivingOf(bundle.id))

function useBundleActions(bundle: Bundle) {
  const { t, failure } = useText()
  const runUndoable = useUndoableAction()
  const input = { params: { id: bundle.id } }
  const { name } = bundle
  const runNow = async (operation: 'archiveBundle' | 'unarchiveBundle') => {
    try {
      await call(operation, input)
      return true
    } catch (error) {
      showError(failure(error))
      return false
    } finally {
      await invalidate('bundles')
    }
  }
  return {
    remove: () =>
      runUndoable(bundleDeletionOf(bundle.id), t('bundles.deleting', { name }), () =>
        call('deleteBundle', input, { keepalive: true }),
      ),
    archive: () =>
      runUndoable(bundleArchivingOf(bundle.id), t('bundles.archiving', { name }), () =>
        call('archiveBundle', input, { keepalive: true }),
      ),
    async unarchive() {
      if (!(await runNow('unarchiveBundle'))) return
      withUndo(t, t('bundles.unarchived', { name }), {
        act() {},
        undo: () => void runNow('archiveBundle'),
      })
    },
  }
}

/**
 * Menu of a bundle for its owner. Renders nothing for other users. `onDeleted` is called
 * immediately, before the time to undo has passed.
 */
export function BundleActions({ bundle, onDeleted }: { bundle: Bundle; onDeleted?: () => void }) {
  const { t } = useText()
  const pending = usePending()
  const [editing, setEditing] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const actions = useBundleActions(bundle)
  if (!isMine(bundle)) return null
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            ref={button}
            variant="subtle"
            color="gray"
            aria-label={t('bundles.actions', { name: bundle.name })}
            style={{ position: 'relative', zIndex: 1 }}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
            {t('bundles.edit')}
          </Menu.Item>
          {bundle.archived_at !== null && (
            <Menu.Item
              leftSection={<IconArchiveOff size={16} aria-hidden />}
              onClick={() => void actions.unarchive()}
            >
              {t('bundles.unarchive')}
            </Menu.Item>
          )}
          {!isArchived(bundle, pending) && (
            <Menu.Item leftSection={<IconArchive size={16} aria-hidden />} onClick={actions.archive}>
              {t('bundles.archive')}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => {
              actions.remove()
              onDeleted?.()
            }}
          >
            {t('bundles.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <BundleDialog
        bundle={bundle}
        opened={editing}
        onClose={() => setEditing(false)}
        // The menu item that opened the dialog has been unmounted.
        onClosed={() => button.current?.focus()}
      />
    </>
  )
}
