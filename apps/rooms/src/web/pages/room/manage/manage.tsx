import { useDisclosure } from '@mantine/hooks'
import { IconSettings } from '@latchkey/web/icons'
import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { type Room, rightsIn } from '../room.ts'
import { Tool } from '../tool.tsx'

const ManageDrawer = lazyPart(async () => {
  const { loadManage } = await import('./load-manage.ts')
  return loadManage()
})

/** The parts of the drawer, with the right that each needs. */
const PARTS = [
  ['members', 'list_members'],
  ['invitations', 'invite_listeners_and_speakers'],
  ['bans', 'remove_others'],
  ['settings', 'change_room'],
] as const

export type ManagedPart = (typeof PARTS)[number][0]

/** Button of the drawer in which the room is managed. Absent if this user may see none of it. */
export function Manage({ room, user }: { room: Room; user: User }) {
  const { t } = useText()
  const [isOpen, { open, close }] = useDisclosure()
  const may = rightsIn(room, user)
  const parts = PARTS.flatMap(([part, right]) => (may(right) ? part : []))
  if (parts.length === 0) return null
  return (
    <>
      <Tool label={t('manage.open')} icon={IconSettings} onClick={open} />
      <OnUse isUsed={isOpen}>
        <ManageDrawer room={room} user={user} parts={parts} isOpen={isOpen} close={close} />
      </OnUse>
    </>
  )
}
