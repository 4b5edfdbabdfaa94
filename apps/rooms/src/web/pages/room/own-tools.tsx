import { IconDoorExit, IconStar, IconX } from '@latchkey/web/icons'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { leaveCallOf } from '../../voice/current-call.ts'
import type { Room } from './room.ts'
import { Tool } from './tool.tsx'

/** Stars the room, which puts it before the others in the user's own list. */
export function StarTool({ room: { id, starred } }: { room: Room }) {
  const { t, failure } = useText()
  const star = useMutation({
    mutationFn: () => call('setRoomPreferences', { params: { id }, body: { starred: !starred } }),
    onSuccess: () => invalidate('room', 'rooms'),
    onError: (error) => showError(failure(error)),
  })
  return (
    <Tool
      className="room-tool room-star"
      data-starred={starred || undefined}
      label={t(starred ? 'room.unstar' : 'room.star')}
      icon={IconStar}
      onClick={() => star.mutate()}
    />
  )
}

/** Ends the user's membership or hides the direct conversation, after the time to undo it. */
export function LeaveTool({ room }: { room: Room }) {
  const { t } = useText()
  const [, go] = useLocation()
  const leave = () => {
    leaveCallOf(room.id)
    go('/')
    import('./leave-room.tsx').then(
      ({ leaveRoom }) => leaveRoom(room, t),
      () => showError(t('page.error')),
    )
  }
  return room.people ? (
    <Tool label={t('room.hide')} icon={IconX} onClick={leave} />
  ) : (
    <Tool label={t('room.leaveRoom')} icon={IconDoorExit} onClick={leave} />
  )
}
