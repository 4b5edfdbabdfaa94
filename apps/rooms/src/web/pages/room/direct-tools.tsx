import { IconX } from '@latchkey/web/icons'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { leaveCallOf } from '../../voice/current-call.ts'
import type { Room } from './room.ts'
import { Tool } from './tool.tsx'

/** What the header of a direct conversation has in the place of its settings. */
export function DirectTools({ room, onLeave }: { room: Room; onLeave: () => void }) {
  const { t, failure } = useText()
  const [, go] = useLocation()
  const hide = useMutation({
    mutationFn: () => call('endMembership', { params: { id: room.id } }),
    onSuccess: () => {
      leaveCallOf(room.id)
      onLeave()
      go('/')
      return invalidate('rooms')
    },
    onError: (error) => showError(failure(error)),
  })
  return <Tool label={t('room.hide')} icon={IconX} onClick={() => hide.mutate()} />
}
