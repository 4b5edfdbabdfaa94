import { withUndo } from '@latchkey/web/parts/undo'
import { showError } from '@latchkey/web/toast'
import { call } from '../../call.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { invalidate } from '../../queries.ts'
import { setLeaving } from '../../sidebar/leaving.ts'
import type { Translate } from '../../texts/text.ts'
import type { Room } from './room.ts'

/** Ends the user's membership after the time to undo it. Until then, the lists do without the room. */
export function leaveRoom({ id, name }: Room, t: Translate): void {
  const leave = async () => {
    try {
      await call('endMembership', { params: { id } }, { keepalive: true })
    } catch (error) {
      showError(<Refusal error={error} />, t('shell.close'))
    }
    await invalidate('rooms', 'room')
    setLeaving(id, false)
  }
  setLeaving(id, true)
  withUndo(t, t('room.leftRoom', { room: name }), {
    act: () => void leave(),
    undo: () => setLeaving(id, false),
  })
}
