import { ActionIcon, Popover, Skeleton } from '@mantine/core'
import { Suspense, lazy, useState } from 'react'
import type { Room } from '../../pages/room/room.ts'
import { useText } from '../../texts/text.ts'
import { IconAdjustments } from './icons.ts'

const JoinPanel = lazy(() => import('./load.ts').then(({ loadJoinPanel }) => loadJoinPanel()))

/** Opens the choice and test of the devices, before joining. */
export function JoinDevices({ room }: { room: Room }) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('room.call.devices')}
          data-tooltip={t('room.call.devices')}
          onClick={() => setOpen(!isOpen)}
        >
          <IconAdjustments size={18} stroke={1.8} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('room.call.devices')} maw="calc(100vw - 16px)" className="room-popover">
        <Suspense fallback={<Skeleton height={420} width={280} />}>
          <JoinPanel room={room} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
