import { ActionIcon, Badge, VisuallyHidden } from '@mantine/core'
import { IconArrowLeft, IconDots, IconPin, IconUsers } from '@latchkey/web/icons'
import { PageHeading } from '@latchkey/web/shell/heading'
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import type { RoomStore } from '../../live/room-store.ts'
import { PersonStatus, PresenceAvatar } from '../../people/person-status.tsx'
import { usePerson } from '../../people/use-people.ts'
import { RoomMark } from '../../parts/room-mark.tsx'
import type { User } from '../../session.ts'
import { usePendingCount } from '../../shell/pending-badge.tsx'
import { useText } from '../../texts/text.ts'
import { CallButton } from '../../voice/call-button.tsx'
import { DirectTools } from './direct-tools.tsx'
import { LevelButton } from './level-button.tsx'
import { Manage } from './manage/manage.tsx'
import { LeaveTool, StarTool } from './own-tools.tsx'
import type { Room } from './room.ts'
import { Tool } from './tool.tsx'
import { Topic } from './topic.tsx'
import type { PanelState } from './use-panel.ts'

interface Props {
  room: Room
  user: User
  store: RoomStore
  panel: PanelState
}

/** Name of the room, and the buttons for what is around the conversation. */
export function RoomHeader({ room, user, store, panel }: Props) {
  const { t } = useText()
  const count = useSyncExternalStore(store.watch, () => store.state().count)
  const [other, another] = room.people ?? []
  const person = usePerson(another ? undefined : other?.id)
  return (
    <div className="room-header">
      <BackToRooms user={user} />
      {person ? <PresenceAvatar person={person} size={22} /> : <RoomMark {...room} size={18} />}
      <div className="room-title">
        <PageHeading title={room.name} className="room-name" />
        {room.topic !== null && <Topic topic={room.topic} />}
      </div>
      <PersonStatus status={person?.status} />
      {!room.people && (
        <div className="room-badges">
          {room.visibility === 'unlisted' && <Badge variant="default">{t('room.visibility.unlisted')}</Badge>}
          {room.role === 'listener' && <Badge variant="default">{t('room.role.listener')}</Badge>}
        </div>
      )}
      <div className="room-tools">
        <CallButton room={room} user={user} store={store} />
        <More panel={panel}>
          <Tool
            label={t('room.people')}
            icon={IconUsers}
            count={room.people ? room.people.length + 1 : count}
            isOpen={panel.panel === 'people'}
            onClick={() => panel.toggle('people')}
          />
          <Tool
            label={t('room.pins')}
            icon={IconPin}
            isOpen={panel.panel === 'pins'}
            onClick={() => panel.toggle('pins')}
          />
          <LevelButton room={room} />
          <StarTool room={room} />
          {room.people ? <DirectTools room={room} /> : <Manage room={room} user={user} />}
          {!room.people && room.role !== null && room.role !== 'owner' && <LeaveTool room={room} />}
        </More>
      </div>
    </div>
  )
}

/** What else the header has: beside the rest, or on a phone below a button. */
function More({ panel: { panel }, children }: { panel: PanelState; children: ReactNode }) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  // It leads to a view of its own.
  useEffect(() => setOpen(false), [panel])
  useEffect(() => {
    if (!isOpen) return undefined
    const onPress = ({ target }: PointerEvent) => {
      if (target instanceof Element && !target.closest('.room-tools, [role=dialog], .mantine-Overlay-root'))
        setOpen(false)
    }
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      if (menu.current?.contains(document.activeElement)) button.current?.focus()
      setOpen(false)
    }
    document.addEventListener('pointerdown', onPress)
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('pointerdown', onPress)
      document.removeEventListener('keydown', onKeyDown)
    }
  }, [isOpen])
  return (
    <>
      <ActionIcon
        ref={button}
        className="room-more-button"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t('room.more')}
        aria-expanded={isOpen}
        aria-controls="room-more"
        onClick={() => setOpen(!isOpen)}
      >
        <IconDots size={20} aria-hidden />
      </ActionIcon>
      {/* What a press opens returns the focus to where it was: not to what is hidden by then. */}
      <div
        ref={menu}
        id="room-more"
        className="room-more"
        data-open={isOpen || undefined}
        onClickCapture={() => button.current?.checkVisibility() && button.current.focus()}
      >
        {children}
      </div>
    </>
  )
}

/** On a phone, where the room has the place of the header: back to the rooms, and what waits there. */
function BackToRooms({ user }: { user: User }) {
  const { t, number } = useText()
  const count = usePendingCount(user)
  const waiting = count > 0 && t('shell.waiting', { count })
  return (
    <div className="room-back">
      <VisuallyHidden role="status">{waiting}</VisuallyHidden>
      <ActionIcon
        component={Link}
        href="/"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={waiting ? `${t('page.toLobby')}: ${waiting}` : t('page.toLobby')}
      >
        <IconArrowLeft size={20} aria-hidden />
        {waiting && (
          <span className="pending-mark" aria-hidden>
            {number(count)}
          </span>
        )}
      </ActionIcon>
    </div>
  )
}
