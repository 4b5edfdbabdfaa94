import type { MessageActions, MessageDialog } from './use-message-actions.ts'
import { DeleteMessage } from './delete-message.tsx'
import { MessageSheet } from './message-sheet.tsx'
import { MessageVersions } from './message-versions.tsx'

interface Props {
  dialog: MessageDialog | null
  actions: MessageActions
  /** Called after a deletion: the button that opened the dialog has disappeared. */
  onDeleted: () => void
}

/** The dialog about a message that is open, if any. */
export default function MessageDialogs({ dialog, actions, onDeleted }: Props) {
  const onClose = () => actions.open(null)
  if (!dialog) return null
  const { kind, message } = dialog
  if (kind === 'delete') return <DeleteMessage message={message} onClose={onClose} onDeleted={onDeleted} />
  if (kind === 'versions') return <MessageVersions message={message} onClose={onClose} />
  return <MessageSheet message={message} actions={actions} onClose={onClose} />
}
