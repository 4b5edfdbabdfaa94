import { Button } from '@mantine/core'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { type Room, rightsIn } from './room.ts'

/** In the place of the field for messages: an archived room can only be read (R36.3). */
export function ArchivedNotice({ room, user }: { room: Room; user: User }) {
  const { t } = useText()
  return (
    <div className="archived-notice">
      <p>{t('room.archived')}</p>
      {rightsIn(room, user)('change_room') && <ArchiveButton room={room} />}
    </div>
  )
}

/** Archives a room, or brings it back. Needs no question: the other one undoes it. */
export function ArchiveButton({ room: { id, archived } }: { room: Room }) {
  const { t, failure } = useText()
  const change = useMutation({
    mutationFn: () => call(archived ? 'unarchiveRoom' : 'archiveRoom', { params: { id } }),
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('room', 'rooms'),
  })
  return (
    <Button variant="default" loading={change.isPending} onClick={() => change.mutate()}>
      {t(archived ? 'room.unarchive' : 'room.archive')}
    </Button>
  )
}
