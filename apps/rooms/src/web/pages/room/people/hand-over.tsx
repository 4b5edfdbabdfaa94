import { showSuccess } from '@latchkey/web/toast'
import { call } from '../../../call.ts'
import type { Person } from '../../../live/frames.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { invalidate } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'

export function HandOver({ person, room, onClose }: { person: Person; room: Room; onClose: () => void }) {
  const { t } = useText()
  const name = person.nickname
  return (
    <ConfirmDialog
      title={t('manage.handTitle', { name })}
      help={t('manage.handHelp', { name })}
      button={t('manage.hand')}
      act={async () => {
        await call('requestTransfer', { params: { id: room.id }, body: { userId: person.userId } })
        showSuccess(t('manage.offered', { name }))
        await invalidate('pending')
      }}
      onClose={onClose}
    />
  )
}
