import { VisuallyHidden } from '@mantine/core'
import { useEffect, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { IconMicrophone, IconMicrophoneOff } from '@latchkey/web/icons'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'
import { Control } from './control.tsx'
import { IconPhoneOff } from './icons.ts'
import type { NameOf } from './names.ts'
import { OwnTile, PeerTile } from './tile.tsx'
import { TileGrid } from './tile-grid.tsx'

/** Number of peers for whom there is space beside the user. */
const MAX_PEERS = 3

interface Props {
  user: User
  session: CallSession
  nameOf: NameOf
  /** Connection that spoke last. It is shown in any case. */
  speaker: string | undefined
  into: Window
}

/** The call in a window above all others: who speaks, some others, microphone and leaving. */
export function PictureInPicture({ user, session, nameOf, speaker, into }: Props) {
  const { t } = useText()
  const { peers, own, grants } = useSyncExternalStore(session.watch, session.state)
  const title = t('call.inCall', { room: session.room.name })
  useEffect(() => {
    into.document.title = title
  }, [title])
  const first = peers.slice(0, MAX_PEERS)
  const speaking = peers.find(({ connectionId }) => connectionId === speaker)
  const visible = speaking && !first.includes(speaking) ? [speaking, ...first.slice(1)] : first
  return createPortal(
    <main className="call call-pip">
      <VisuallyHidden component="h1">{title}</VisuallyHidden>
      <TileGrid className="call-people" count={visible.length + 1}>
        {visible.map((peer) => (
          <PeerTile
            key={peer.connectionId}
            peer={peer}
            person={nameOf(peer.userId)}
            session={session}
            mayModerate={false}
            isFeatured={false}
          />
        ))}
        <OwnTile user={user} session={session} />
      </TileGrid>
      <div className="call-main">
        {grants.audio && (
          <Control
            label={t(own.audio ? 'call.microphoneOff' : 'call.microphoneOn')}
            icon={own.audio ? IconMicrophone : IconMicrophoneOff}
            isOn={own.audio}
            onClick={() => void session.setMicrophone(!own.audio)}
          />
        )}
        <Control
          className="call-leave"
          label={t('call.leave')}
          icon={IconPhoneOff}
          onClick={() => session.leave()}
        />
      </div>
    </main>,
    into.document.body,
  )
}
