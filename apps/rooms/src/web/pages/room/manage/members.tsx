import { Button, Stack } from '@mantine/core'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useState } from 'react'
import { call } from '../../../call.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { LoadMore } from '../../../parts/load-more.tsx'
import { invalidate, usePages } from '../../../queries.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { People } from '../people/people.tsx'
import type { Room } from '../room.ts'

/** Members of the room, and a button to leave it for good. */
export function Members({ room, user }: { room: Room; user: User }) {
  const { t } = useText()
  const [isLeaving, setLeaving] = useState(false)
  const list = usePages('members', 'listMembers', { params: { id: room.id } })
  if (list.error && !list.pages) return <ErrorNotice error={list.error} onRetry={list.retry} />
  const members = list.pages?.flatMap((page) => page.members) ?? []
  return (
    <Stack gap="md" align="stretch">
      <People people={members} room={room} user={user} areMembers />
      <LoadMore more={list.more} isReading={list.isReading} error={list.moreError} />
      {room.role !== null && room.role !== 'owner' && (
        <Button variant="default" onClick={() => setLeaving(true)}>
          {t('manage.leaveRoom')}
        </Button>
      )}
      {isLeaving && (
        <ConfirmDialog
          title={t('manage.leaveTitle')}
          help={t('manage.leaveHelp')}
          button={t('manage.leaveRoom')}
          act={async () => {
            await call('endMembership', { params: { id: room.id } })
            await invalidate('room', 'members', 'rooms')
          }}
          onClose={() => setLeaving(false)}
        />
      )}
    </Stack>
  )
}
