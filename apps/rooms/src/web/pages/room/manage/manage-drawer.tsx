import { Drawer, Tabs } from '@mantine/core'
import { useEffect, useState } from 'react'
import { unlessConfirming } from '../../../parts/confirm-dialog.tsx'
import { TabsLine } from '../../../parts/tabs-line.tsx'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { Bans } from './bans.tsx'
import { Invitations } from './invitations.tsx'
import type { ManagedPart } from './open-manage.ts'
import { Members } from './members.tsx'
import { RoomSettings } from './room-settings.tsx'
import type { Room } from '../room.ts'

const PANELS = { members: Members, invitations: Invitations, bans: Bans, settings: RoomSettings }

interface Props {
  room: Room
  user: User
  parts: readonly ManagedPart[]
  /** The part at which the drawer opens. Null while it is closed. */
  part: ManagedPart | null
  close: () => void
}

/** Drawer with the parts of the room that this user may see or change. */
export default function ManageDrawer({ room, user, parts, part: opened, close }: Props) {
  const { t } = useText()
  // Mantine returns the focus only from a drawer that was mounted before it opens.
  const [isMounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  return (
    <Drawer
      opened={isMounted && opened !== null}
      onClose={unlessConfirming(close)}
      position="right"
      size="lg"
      title={t('manage.title')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Tabs defaultValue={opened} keepMounted={false}>
        <TabsLine>
          {parts.map((part) => (
            <Tabs.Tab key={part} value={part}>
              {t(`manage.${part}`)}
            </Tabs.Tab>
          ))}
        </TabsLine>
        {parts.map((part) => {
          const Panel = PANELS[part]
          return (
            <Tabs.Panel key={part} value={part} pt="md">
              <Panel room={room} user={user} />
            </Tabs.Panel>
          )
        })}
      </Tabs>
    </Drawer>
  )
}
