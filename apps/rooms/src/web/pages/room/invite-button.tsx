import { Button, type ButtonProps } from '@mantine/core'
import { IconPlus } from '@latchkey/web/icons'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { openManage } from './manage/open-manage.ts'
import { type Room, rightsIn } from './room.ts'

/** Leads to the invitations of the room those who may invite. */
export function InviteButton({ room, user, ...props }: { room: Room; user: User } & ButtonProps) {
  const { t } = useText()
  if (room.archived || !rightsIn(room, user)('invite_listeners_and_speakers')) return null
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPlus size={16} aria-hidden />}
      {...props}
      onClick={() => openManage('invitations')}
    >
      {t('room.invite')}
    </Button>
  )
}
