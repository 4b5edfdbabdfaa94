import { Button, Divider, Stack, TextInput } from '@mantine/core'
import { tellDone } from '@latchkey/web/told'
import { useState } from 'react'
import { call } from '../../../call.ts'
import { Ask } from '../../../parts/ask.tsx'
import { RoomForm } from '../../../parts/room-form.tsx'
import { changed } from '../../../queries.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'

export function RoomSettings({ room, user }: { room: Room; user: User }) {
  const { say } = useText()
  const [isDeleting, setDeleting] = useState(false)
  const { name, maxParticipants, visibility, allowGuests, defaultRole, historyVisibility, retention } = room
  return (
    <Stack gap="lg">
      <RoomForm
        isGuest={user.identityType === 'guest'}
        name={`settings:${room.id}`}
        before={{ name, maxParticipants, visibility, allowGuests, defaultRole, historyVisibility, retention }}
        button={say('manage.save')}
        save={async (_, changes) => {
          await call('updateRoomSettings', { params: { id: room.id }, body: changes })
          tellDone(say('manage.saved'))
          await changed('room', 'rooms')
        }}
      />
      <Divider />
      <Button color="red" onClick={() => setDeleting(true)}>
        {say('manage.deleteRoom')}
      </Button>
      {isDeleting && <DeleteRoom room={room} onClose={() => setDeleting(false)} />}
    </Stack>
  )
}

function DeleteRoom({ room, onClose }: { room: Room; onClose: () => void }) {
  const { say } = useText()
  const [typed, setTyped] = useState('')
  return (
    <Ask
      title={say('manage.deleteTitle')}
      help={say('manage.deleteHelp')}
      button={say('manage.deleteRoom')}
      act={async () => {
        await call('deleteRoom', { params: { id: room.id } })
        await changed('rooms')
      }}
      onClose={onClose}
      isReady={typed.trim() === room.name}
    >
      <TextInput
        label={say('manage.typeName', { name: room.name })}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        labelProps={{ className: 'wrap' }}
      />
    </Ask>
  )
}
