import { withUndo } from '@latchkey/web/parts/undo'
import { showError } from '@latchkey/web/toast'
import { call } from '../../call.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { invalidate } from '../../queries.ts'
import { unreadIn } from '../../sidebar/lobby.ts'
import { setLeaving } from '../../sidebar/leaving.ts'
import type { Translate } from '../../texts/text.ts'
import type { Room } from './room.ts'

/**
 * Ends the user's membership, or hides a direct conversation, after the time to undo it. Until then,
 * the lists do without it.
 */
export function leaveRoom({ id, name, people }: Room, t: Translate): void {
  const unread = unreadIn(id)
  const putBack = () => setLeaving(id, undefined)
  const leave = async () => {
    // Has come back with a new message.
    if (people && unreadIn(id) > unread) return putBack()
    try {
      await call('endMembership', { params: { id } }, { keepalive: true })
    } catch (error) {
      showError(<Refusal error={error} />, t('shell.close'))
    }
    await invalidate('rooms', 'room')
    putBack()
  }
  setLeaving(id, unread)
  withUndo(t, t(people ? 'room.hidden' : 'room.leftRoom', { room: name }), {
    act: () => void leave(),
    undo: putBack,
  })
}
