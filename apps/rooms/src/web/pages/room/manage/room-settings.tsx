import { Button, Divider, Stack, TextInput } from '@mantine/core'
import { showSuccess } from '@latchkey/web/toast'
import { useState } from 'react'
import { call } from '../../../call.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { RoomForm } from '../../../parts/room-form.tsx'
import { invalidate } from '../../../queries.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { ArchiveButton } from '../archived.tsx'
import { type Room, rightsIn } from '../room.ts'
import { RoomGroups } from './room-groups.tsx'

export function RoomSettings({ room, user }: { room: Room; user: User }) {
  const { t } = useText()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Stack gap="lg">
      <RoomForm
        isGuest={user.identityType === 'guest'}
        name={`settings:${room.id}`}
        before={room}
        button={t('manage.save')}
        save={async (_, changes) => {
          await call('updateRoomSettings', { params: { id: room.id }, body: changes })
          showSuccess(t('manage.saved'))
          await invalidate('room', 'rooms')
        }}
      />
      {rightsIn(room, user)('change_groups') && <RoomGroups roomId={room.id} />}
      <Divider />
      <ArchiveButton room={room} />
      <Button color="red" onClick={() => setDeleting(true)}>
        {t('manage.deleteRoom')}
      </Button>
      {isDeleting && <DeleteRoom room={room} onClose={() => setDeleting(false)} />}
    </Stack>
  )
}

function DeleteRoom({ room, onClose }: { room: Room; onClose: () => void }) {
  const { t } = useText()
  const [text, setText] = useState('')
  return (
    <ConfirmDialog
      title={t('manage.deleteTitle')}
      help={t('manage.deleteHelp')}
      button={t('manage.deleteRoom')}
      act={async () => {
        await call('deleteRoom', { params: { id: room.id } })
        await invalidate('rooms')
      }}
      onClose={onClose}
      isReady={text.trim() === room.name}
    >
      <TextInput
        label={t('manage.typeName', { name: room.name })}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        labelProps={{ className: 'wrap' }}
      />
    </ConfirmDialog>
  )
}
