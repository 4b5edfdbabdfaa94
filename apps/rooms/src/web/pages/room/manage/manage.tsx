import { Drawer, Tabs } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSettings } from '@latchkey/web/icons'
import { unlessConfirming } from '../../../parts/confirm-dialog.tsx'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { Bans } from './bans.tsx'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { RoomSettings } from './room-settings.tsx'
import { type Room, rightsIn } from '../room.ts'
import { Tool } from '../tool.tsx'

/** Drawer with the parts of the room that this user may see or change. */
export function Manage({ room, user }: { room: Room; user: User }) {
  const { t } = useText()
  const [isOpen, { open, close }] = useDisclosure()
  const may = rightsIn(room, user)
  const tabs = [
    may('list_members') && { name: 'members', panel: <Members room={room} user={user} /> },
    may('invite_listeners_and_speakers') && {
      name: 'invitations',
      panel: <Invitations room={room} user={user} />,
    },
    may('remove_others') && { name: 'bans', panel: <Bans room={room} user={user} /> },
    may('change_room') && { name: 'settings', panel: <RoomSettings room={room} user={user} /> },
  ].filter((tab) => tab !== false)
  const [first] = tabs
  if (!first) return null
  return (
    <>
      <Tool label={t('manage.open')} icon={IconSettings} onClick={open} />
      <Drawer
        opened={isOpen}
        onClose={unlessConfirming(close)}
        position="right"
        size="lg"
        title={t('manage.title')}
        closeButtonProps={{ 'aria-label': t('shell.close') }}
      >
        <Tabs defaultValue={first.name} keepMounted={false}>
          <Tabs.List>
            {tabs.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {t(`manage.${name}` as 'manage.members')}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map(({ name, panel }) => (
            <Tabs.Panel key={name} value={name} pt="md">
              {panel}
            </Tabs.Panel>
          ))}
        </Tabs>
      </Drawer>
    </>
  )
}
