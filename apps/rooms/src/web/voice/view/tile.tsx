import { VisuallyHidden } from '@mantine/core'
import { IconMicrophoneOff } from '@latchkey/web/icons'
import { type CSSProperties, type ReactNode, useSyncExternalStore } from 'react'
import type { CallPeer } from '../../live/frames.ts'
import { type Pictured, UserAvatar } from '../../parts/person.tsx'
import type { User } from '../../session.ts'
import { IconHandStop, IconScreenShare } from './icons.ts'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'
import { TileMenu } from './tile-menu.tsx'
import type { Callee } from './use-callees.ts'
import { Video } from './video.tsx'

interface TileProps {
  connectionId?: string
  person: Pictured
  caption: string
  state: Pick<CallPeer, 'audio' | 'hand' | 'screen'>
  isSpeaking: boolean
  isFeatured?: boolean
  picture: ReactNode
  children?: ReactNode
}

/** A person in the call. */
function Tile({ connectionId, person, isSpeaking, isFeatured, picture, children, ...rest }: TileProps) {
  return (
    <li
      className="call-tile"
      style={{ '--person': person.avatarColor } as CSSProperties}
      data-connection={connectionId}
      data-speaking={isSpeaking || undefined}
      data-featured={isFeatured || undefined}
    >
      {/* Below the picture, until its first frame is there. */}
      <UserAvatar of={person} size={56} />
      {picture}
      <Caption {...rest} isSpeaking={isSpeaking} />
      {children}
    </li>
  )
}

/** The name of a person, and marks for what they do. */
function Caption({ caption, state, isSpeaking }: Pick<TileProps, 'caption' | 'state' | 'isSpeaking'>) {
  const { t } = useText()
  return (
    <span className="call-caption">
      {!state.audio && (
        <>
          <IconMicrophoneOff size={14} aria-hidden className="call-muted" />
          <VisuallyHidden>{t('call.mutedIcon')}</VisuallyHidden>
        </>
      )}
      {state.hand !== null && (
        <>
          <IconHandStop size={14} aria-hidden className="call-hand" />
          <VisuallyHidden>{t('call.hand')}</VisuallyHidden>
        </>
      )}
      {state.screen && (
        <>
          <IconScreenShare size={14} aria-hidden />
          <VisuallyHidden>{t('call.sharesScreen')}</VisuallyHidden>
        </>
      )}
      <bdi className="call-name">{caption}</bdi>
      {isSpeaking && <VisuallyHidden>{t('call.speaking')}</VisuallyHidden>}
    </span>
  )
}

/** The user. */
export function OwnTile({ user, session }: { user: User; session: CallSession }) {
  const { t } = useText()
  const { own, handAt, speaking } = useSyncExternalStore(session.watch, session.state)
  const track = own.camera ? session.ownTrack('camera') : null
  const caption = t('call.you', { name: user.nickname })
  return (
    <Tile
      person={user}
      caption={caption}
      state={{ ...own, hand: handAt }}
      isSpeaking={speaking.has('own')}
      picture={track && <Video source={track} label={caption} isMirrored />}
    />
  )
}

interface PeerTileProps {
  peer: CallPeer
  person: Pictured
  session: CallSession
  mayModerate: boolean
  isFeatured: boolean
  /** Undefined where a tile has no menu. */
  onFeature?: (connectionId: string | undefined) => void
}

export function PeerTile({ peer, person, session, mayModerate, isFeatured, onFeature }: PeerTileProps) {
  const { t } = useText()
  const { speaking } = useSyncExternalStore(session.watch, session.state)
  const { nickname } = person
  const media = session.mediaOf(peer.connectionId)
  return (
    <Tile
      connectionId={peer.connectionId}
      person={person}
      caption={nickname}
      state={peer}
      isSpeaking={speaking.has(peer.connectionId)}
      isFeatured={isFeatured}
      picture={media?.camera && <Video source={media.camera} label={nickname} />}
    >
      {media && media.state !== 'connected' && (
        <span className="call-tile-state">
          {t(media.state === 'failed' ? 'call.failedPeer' : 'call.connecting')}
        </span>
      )}
      {onFeature && (
        <TileMenu
          peer={peer}
          name={nickname}
          session={session}
          mayModerate={mayModerate}
          isFeatured={isFeatured}
          onFeature={onFeature}
        />
      )}
    </Tile>
  )
}

/** A person who is being called, or has not answered. */
export function CalleeTile({ callee: { person, state } }: { callee: Callee }) {
  const { t } = useText()
  return (
    <li
      className="call-tile call-callee"
      style={{ '--person': person.avatarColor } as CSSProperties}
      data-state={state}
    >
      <UserAvatar of={person} size={56} />
      <bdi className="call-callee-name">{person.nickname}</bdi>
      {state && <span className="call-callee-state">{t(`call.callee.${state}`)}</span>}
    </li>
  )
}
