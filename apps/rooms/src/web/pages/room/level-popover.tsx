import { Radio, Stack } from '@mantine/core'
import { ButtonPopover } from '@latchkey/web/parts/layer'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { NOTIFICATION_LEVELS } from '../../../rooms/notification-levels.ts'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import type { Room } from './room.ts'

interface Props extends Pick<ComponentProps<typeof ButtonPopover>, 'button' | 'isOpen' | 'onChange'> {
  room: Room
}

export default function LevelPopover({ room, ...layer }: Props) {
  const { t } = useText()
  return (
    <ButtonPopover {...layer} label={t('notify.title')} position="bottom-end" className="room-popover">
      <LevelChoice room={room} />
    </ButtonPopover>
  )
}

/** The choice of the messages of a room of which the user is notified. */
function LevelChoice({ room }: { room: Room }) {
  const { t, failure } = useText()
  const save = useMutation({
    mutationFn: (level: Room['notificationLevel']) =>
      call('setNotificationLevel', { params: { id: room.id }, body: { level } }),
    onSuccess: () => invalidate('room', 'rooms'),
    onError: (refusal) => showError(failure(refusal)),
  })
  return (
    <Radio.Group
      label={t('notify.level')}
      value={save.isPending ? save.variables : room.notificationLevel}
      onChange={(value) => save.mutate(value)}
    >
      <Stack gap="xs" mt="xs">
        {NOTIFICATION_LEVELS.map((level) => (
          <Radio key={level} value={level} label={t(`notify.level.${level}`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
