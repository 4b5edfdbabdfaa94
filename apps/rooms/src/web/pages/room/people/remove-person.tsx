import { Textarea } from '@mantine/core'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { useState } from 'react'
import { call } from '../../../call.ts'
import type { Person } from '../../../live/frames.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { invalidate } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'

const MAX_MINUTES = 1440

interface Props {
  action: 'kick' | 'ban'
  person: Person
  room: Room
  onClose: () => void
  /**
   * Called before the dialog closes. The line of the person, which had the focus, has disappeared.
   */
  onRemoved: () => void
}

/** Dialog to kick or ban a person, with a reason for other moderators (R17.5). */
export function RemovePerson({ action, person, room, onClose, onRemoved }: Props) {
  const { t } = useText()
  const [minutes, setMinutes] = useState(10)
  const [reason, setReason] = useState('')
  const name = person.nickname
  const act = async () => {
    const body = {
      action,
      ...(action === 'kick' && { cooldownMinutes: minutes }),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    }
    await call('removePerson', { params: { id: room.id, userId: person.userId }, body })
    await invalidate('members', 'bans', 'room')
    onRemoved()
  }
  return (
    <ConfirmDialog
      title={t(action === 'kick' ? 'manage.kickTitle' : 'manage.banTitle', { name })}
      help={t(action === 'kick' ? 'manage.kickHelp' : 'manage.banHelp', { name })}
      button={t(action === 'kick' ? 'manage.kick' : 'manage.ban')}
      act={act}
      onClose={onClose}
      isReady={Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_MINUTES}
    >
      {action === 'kick' && (
        <IntegerField
          label={t('manage.minutes')}
          value={minutes || null}
          onChange={(value) => setMinutes(value ?? 0)}
          min={1}
          max={MAX_MINUTES}
        />
      )}
      <Textarea
        label={t('manage.reason')}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        maxLength={500}
        autosize
        minRows={1}
      />
    </ConfirmDialog>
  )
}
