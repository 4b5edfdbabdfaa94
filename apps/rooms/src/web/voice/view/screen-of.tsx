import { Button } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import type { CallPeer } from '../../live/frames.ts'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'
import { IconScreenShare } from './icons.ts'
import { Video } from './video.tsx'

interface OfferProps {
  peer: CallPeer
  name: string
  onWatch: (connectionId: string, isWatched: boolean) => void
}

/** A shared screen that does not play: beyond the first two, or because the user has stopped it. */
export function ScreenOffer({ peer: { connectionId }, name, onWatch }: OfferProps) {
  const { t } = useText()
  return (
    <li className="call-offer" data-screen={connectionId}>
      <IconScreenShare size={28} aria-hidden />
      <span className="call-offer-text">{t('call.sharing', { name })}</span>
      <Button
        size="compact-sm"
        aria-label={t('call.watchScreenOf', { name })}
        onClick={() => onWatch(connectionId, true)}
      >
        {t('call.watch')}
      </Button>
    </li>
  )
}

/** A shared screen that is watched. */
export function ScreenOf({ peer, name, session, onWatch }: OfferProps & { session: CallSession }) {
  const { t } = useText()
  useSyncExternalStore(session.watch, session.state)
  const { connectionId } = peer
  const stream = session.mediaOf(connectionId)?.screen
  const label = t('call.screenOf', { name })
  return (
    <li className="call-screen" data-screen={connectionId}>
      {stream && <Video source={stream} label={label} />}
      <div className="call-caption">
        <IconScreenShare size={14} aria-hidden />
        <bdi className="call-name">{label}</bdi>
        <Button size="compact-xs" variant="default" onClick={() => onWatch(connectionId, false)}>
          {t('call.unwatch')}
        </Button>
      </div>
    </li>
  )
}
