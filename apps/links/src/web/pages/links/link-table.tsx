import { Modal, Paper } from '@mantine/core'
import { useState } from 'react'
import { linkDeletionOf, usePending } from '../../parts/pending.ts'
import { useText } from '../../texts/text.ts'
import { AddToBundle } from './add-to-bundle.tsx'
import { BlockedDeletions } from './blocked.tsx'
import type { ChangeKind } from './change-form.tsx'
import { ChangeLinks } from './change-links.tsx'
import { BulkActionBar } from './bulk-action-bar.tsx'
import { FoundActionBar } from './found-action-bar.tsx'
import { Rows, type Sorting } from './rows.tsx'
import { type BulkActions, useBulkActions } from './use-bulk-actions.tsx'
import { type View, filterOf } from './view.ts'
import type { LinkRow, ListedLink } from './types.ts'

/** Contains the links themselves: an update may remove them from the list. */
type DialogState =
  | { about: 'bundle' | ChangeKind; ids: readonly number[] }
  | { about: 'blocked'; links: readonly LinkRow[] }

interface Props {
  links: readonly ListedLink[]
  /** Words of the search, which are marked. */
  search: string
  sorting: Sorting
  /** The filter, and the number of links that it has found on all pages. */
  view: View
  total: number
}

/** Mounted even if the list is empty, because a dialog may be open. */
export function LinkTable({ links, search, sorting, view, total }: Props) {
  const [selectedIds, setSelectedIds] = useState<readonly number[]>([])
  /** The filter whose links are all selected, also those on other pages. */
  const [foundFilter, setFoundFilter] = useState<string>()
  const filter = JSON.stringify(filterOf(view))
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
      {foundFilter === filter && (
        <FoundActionBar
          view={view}
          total={total}
          onDone={() => {
            setFoundFilter(undefined)
            setSelectedIds([])
          }}
        />
      )}
      {selected.length > 0 && foundFilter !== filter && (
        <BulkActionBar
          links={selected}
          actions={actions}
          onBundle={() => addToBundle(selected)}
          onChange={(about) => setDialog({ about, ids })}
          foundTotal={selected.length === rows.length && total > rows.length ? total : undefined}
          onSelectFound={() => setFoundFilter(filter)}
          onDone={() => setSelectedIds([])}
        />
      )}
      <TableDialog
        dialog={dialog}
        actions={actions}
        close={close}
        onAdded={() => {
          close()
          setSelectedIds([])
        }}
      />
    </>
  )
}

interface DialogProps {
  dialog: DialogState | null
  actions: BulkActions
  close: () => void
  onAdded: () => void
}

function TableDialog({ dialog, actions, close, onAdded }: DialogProps) {
  const { t } = useText()
  const titles = { bundle: t('bundles.addLink'), expiry: t('links.setExpiry'), owner: t('links.transfer') }
  const title =
    dialog?.about === 'blocked'
      ? t('links.blocked', { count: dialog.links.length })
      : dialog && titles[dialog.about]
  return (
    <Modal
      opened={dialog !== null}
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      {dialog?.about === 'blocked' && (
        <BlockedDeletions links={dialog.links} actions={actions} close={close} />
      )}
      {dialog?.about === 'bundle' && <AddToBundle ids={dialog.ids} onDone={onAdded} />}
      {(dialog?.about === 'expiry' || dialog?.about === 'owner') && (
        <ChangeLinks kind={dialog.about} ids={dialog.ids} onDone={onAdded} />
      )}
    </Modal>
  )
}
