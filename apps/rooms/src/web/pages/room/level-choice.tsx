import { Radio, Stack } from '@mantine/core'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { NOTIFICATION_LEVELS } from '../../../rooms/notification-levels.ts'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import type { Room } from './room.ts'

/** The choice of the messages of a room of which the user is notified. Loaded on first use. */
export default function LevelChoice({ room }: { room: Room }) {
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
