import { Button } from '@mantine/core'
import { type Icon, IconDots, IconSettings, IconUser } from '@latchkey/web/icons'
import { useState, useSyncExternalStore } from 'react'
import { CallPopover, Control } from './control.tsx'
import {
  IconChevronDown,
  IconChevronUp,
  IconHeadphones,
  IconLayoutGrid,
  IconMaximize,
  IconMinimize,
  IconPictureInPicture,
} from './icons.ts'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'
import { CallDevices } from './call-devices.tsx'

/** How the people of a call are arranged. */
export type Arrangement = 'grid' | 'speaker'

/** How much of the room the call takes: its part, all of it, or its controls only. */
export type Extent = 'partial' | 'full' | 'folded'

interface Props {
  session: CallSession
  arrangement: Arrangement
  onArrange: (arrangement: Arrangement) => void
  extent: Extent
  onExtent: (extent: Extent) => void
  mayFold: boolean
  /** Undefined where the browser has no picture in picture. */
  onPictureInPicture: (() => void) | undefined
  /** Whether there is space for few buttons only. */
  isNarrow: boolean
}

interface Item {
  id: string
  label: string
  icon: Icon
  isOn?: boolean
  onPress: () => void
}

/** How the call is displayed, and the devices. */
export function ViewControls({ isNarrow, ...props }: Props) {
  const { t } = useText()
  const items = useItems(props)
  const { session, extent, onExtent } = props
  const isFull = extent === 'full'
  return (
    <div className="call-view">
      {isNarrow ? <MoreButton session={session} items={items} /> : <DevicesButton session={session} />}
      {!isNarrow &&
        items.map(({ id, label, icon, isOn, onPress }) => (
          <Control
            key={id}
            label={label}
            icon={icon}
            {...(isOn !== undefined && { isOn })}
            onClick={onPress}
          />
        ))}
      <Control
        label={t(isFull ? 'call.collapse' : 'call.expand')}
        icon={isFull ? IconMinimize : IconMaximize}
        onClick={() => onExtent(isFull ? 'partial' : 'full')}
      />
    </div>
  )
}

function useItems({
  session,
  arrangement,
  onArrange,
  onPictureInPicture,
  extent,
  onExtent,
  mayFold,
}: Omit<Props, 'isNarrow'>): Item[] {
  const { t } = useText()
  const { isAudioOnly } = useSyncExternalStore(session.watch, session.state)
  const isGrid = arrangement === 'grid'
  const items: Item[] = [
    {
      id: 'audio',
      label: t('call.audioOnly'),
      icon: IconHeadphones,
      isOn: isAudioOnly,
      onPress: () => session.setAudioOnly(!isAudioOnly),
    },
    {
      id: 'arrangement',
      label: t(isGrid ? 'call.speakerView' : 'call.gridView'),
      icon: isGrid ? IconUser : IconLayoutGrid,
      onPress: () => onArrange(isGrid ? 'speaker' : 'grid'),
    },
  ]
  if (onPictureInPicture)
    items.push({ id: 'pip', label: t('call.pip'), icon: IconPictureInPicture, onPress: onPictureInPicture })
  const isFolded = extent === 'folded'
  if (mayFold && extent !== 'full')
    items.push({
      id: 'fold',
      label: t(isFolded ? 'call.unfold' : 'call.fold'),
      icon: isFolded ? IconChevronDown : IconChevronUp,
      onPress: () => onExtent(isFolded ? 'partial' : 'folded'),
    })
  return items
}

function DevicesButton({ session }: { session: CallSession }) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  return (
    <CallPopover label={t('call.settings')} icon={IconSettings} isOpen={isOpen} onOpen={setOpen}>
      <CallDevices session={session} />
    </CallPopover>
  )
}

/** Menu on a phone of all but the most needed controls, with their names. */
function MoreButton({ session, items }: { session: CallSession; items: readonly Item[] }) {
  const { t } = useText()
  const [content, setContent] = useState<'menu' | 'devices' | null>(null)
  return (
    <CallPopover
      label={t('call.more')}
      icon={IconDots}
      isOpen={content !== null}
      onOpen={(isOpen) => setContent(isOpen ? 'menu' : null)}
    >
      {content === 'devices' ? (
        <CallDevices session={session} />
      ) : (
        <>
          <MoreItem label={t('call.settings')} icon={IconSettings} onPress={() => setContent('devices')} />
          {items.map((item) => (
            <MoreItem
              key={item.id}
              {...item}
              onPress={() => {
                setContent(null)
                item.onPress()
              }}
            />
          ))}
        </>
      )}
    </CallPopover>
  )
}

function MoreItem({ label, icon: Drawing, isOn, onPress }: Omit<Item, 'id'>) {
  return (
    <Button
      variant={isOn ? 'light' : 'subtle'}
      color="gray"
      size="md"
      justify="flex-start"
      leftSection={<Drawing size={18} stroke={1.8} aria-hidden />}
      {...(isOn !== undefined && { 'aria-pressed': isOn })}
      onClick={onPress}
    >
      {label}
    </Button>
  )
}
