import { IconSettings } from '@latchkey/web/icons'
import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { useEffect } from 'react'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { type Room, rightsIn } from '../room.ts'
import { Tool } from '../tool.tsx'
import { openManage, useManagedPart } from './open-manage.ts'

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

/** Button of the drawer in which the room is managed. Absent if this user may see none of it. */
export function Manage({ room, user }: { room: Room; user: User }) {
  const { t } = useText()
  const part = useManagedPart()
  useEffect(() => () => openManage(null), [room.id])
  const may = rightsIn(room, user)
  const parts = PARTS.flatMap(([name, right]) => (may(right) ? name : []))
  const [first] = parts
  if (first === undefined) return null
  return (
    <>
      <Tool label={t('manage.open')} icon={IconSettings} onClick={() => openManage(first)} />
      <OnUse isUsed={part !== null}>
        <ManageDrawer room={room} user={user} parts={parts} part={part} close={() => openManage(null)} />
      </OnUse>
    </>
  )
}
