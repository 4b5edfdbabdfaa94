import { Modal, Paper } from '@mantine/core'
import { useState } from 'react'
import { linkDeletionOf, usePending } from '../../parts/pending.ts'
import { useText } from '../../texts/text.ts'
import type { Result } from '../../call.ts'
import { AddToBundle } from '../bundles/add-to-bundle.tsx'
import { BlockedDeletions } from './blocked.tsx'
import { BulkActionBar } from './bulk-action-bar.tsx'
import { Rows, type Sorting } from './rows.tsx'
import { useBulkActions } from './use-bulk-actions.tsx'

export type LinkRow = Result<'getLink'>

/** Contains the links themselves: an update may remove them from the list. */
type DialogState =
  | { about: 'bundle'; ids: readonly number[] }
  | { about: 'blocked'; links: readonly LinkRow[] }

interface Props {
  links: readonly LinkRow[]
  /** Words of the search, which are marked. */
  search: string
  sorting: Sorting
}

/** Mounted even if the list is empty, because a dialog may be open. */
export function LinkTable({ links, search, sorting }: Props) {
  const { t } = useText()
  const [selectedIds, setSelectedIds] = useState<readonly number[]>([])
  const [dialog, setDialog] = useState<DialogState | null>(null)
  const pending = usePending()
  const actions = useBulkActions((blocked) => setDialog({ about: 'blocked', links: blocked }))
  const rows = links.filter(({ id }) => !pending.has(linkDeletionOf(id)))
  const selected = rows.filter(({ id }) => selectedIds.includes(id))
  const ids = selected.map(({ id }) => id)
  const close = () => setDialog(null)
  const addToBundle = (chosen: readonly LinkRow[]) =>
    setDialog({ about: 'bundle', ids: chosen.map(({ id }) => id) })
  return (
    <>
      {links.length > 0 && (
        <Paper withBorder style={{ overflow: 'hidden' }}>
          <Rows
            rows={rows}
            selected={ids}
            select={setSelectedIds}
            search={search}
            sorting={sorting}
            actions={{ ...actions, addToBundle }}
          />
        </Paper>
      )}
      {selected.length > 0 && (
        <BulkActionBar
          links={selected}
          actions={actions}
          onBundle={() => addToBundle(selected)}
          onDone={() => setSelectedIds([])}
        />
      )}
      <Modal
        opened={dialog !== null}
        onClose={close}
        title={
          dialog?.about === 'blocked'
            ? t('links.blocked', { count: dialog.links.length })
            : t('bundles.addLink')
        }
        closeButtonProps={{ 'aria-label': t('shell.close') }}
      >
        {dialog?.about === 'blocked' && (
          <BlockedDeletions links={dialog.links} actions={actions} close={close} />
        )}
        {dialog?.about === 'bundle' && (
          <AddToBundle
            ids={dialog.ids}
            onDone={() => {
              close()
              setSelectedIds([])
            }}
          />
        )}
      </Modal>
    </>
  )
}
