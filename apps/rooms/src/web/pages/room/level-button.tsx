import { Popover, Skeleton } from '@mantine/core'
import { IconBell, IconBellOff } from '@latchkey/web/icons'
import { Suspense, lazy, useState } from 'react'
import { useText } from '../../texts/text.ts'
import type { Room } from './room.ts'
import { Tool } from './tool.tsx'

const LevelChoice = lazy(() => import('./level-choice.tsx'))

/** Opens the choice of the messages of which the user is notified. */
export function LevelButton({ room }: { room: Room }) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Tool
          label={t('notify.title')}
          icon={room.notificationLevel === 'none' ? IconBellOff : IconBell}
          onClick={() => setOpen(!isOpen)}
        />
      </Popover.Target>
      <Popover.Dropdown aria-label={t('notify.title')} maw="calc(100vw - 16px)" className="room-popover">
        <Suspense fallback={<Skeleton height={96} width={180} />}>
          <LevelChoice room={room} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
