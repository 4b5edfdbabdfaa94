import { Modal } from '@mantine/core'
import { useLocation } from 'wouter'
import { call } from '../../call.ts'
import { useFocusBack } from '../../parts/focus-back.ts'
import { RoomForm } from '../../parts/room-form.tsx'
import { invalidate } from '../../queries.ts'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'

export default function NewRoom({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useText()
  const [, go] = useLocation()
  useFocusBack()
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('lobby.create')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <RoomForm
        isGuest={user.identityType === 'guest'}
        name="newRoom"
        button={t('form.create')}
        save={async (settings) => {
          const { room } = await call('createRoom', { body: settings })
          await invalidate('rooms')
          go(`/rooms/${room.id}`)
        }}
      />
    </Modal>
  )
}
