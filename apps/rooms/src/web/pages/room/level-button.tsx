import { IconBell, IconBellOff } from '@latchkey/web/icons'
import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { useState } from 'react'
import { useText } from '../../texts/text.ts'
import type { Room } from './room.ts'
import { Tool } from './tool.tsx'

const LevelPopover = lazyPart(() => import('./level-popover.tsx'))

/** Opens the choice of the messages of which the user is notified. */
export function LevelButton({ room }: { room: Room }) {
  const { t } = useText()
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Tool
        ref={setButton}
        label={t('notify.title')}
        icon={room.notificationLevel === 'none' ? IconBellOff : IconBell}
        aria-haspopup="dialog"
        isOpen={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      <OnUse isUsed={isOpen}>
        <LevelPopover button={button} isOpen={isOpen} onChange={setOpen} room={room} />
      </OnUse>
    </>
  )
}
