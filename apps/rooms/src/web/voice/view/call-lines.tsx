import { Loader, VisuallyHidden } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { CallPeer } from '../../live/frames.ts'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'
import type { NameOf } from './names.ts'
import type { Callee } from './use-callees.ts'

interface Props {
  session: CallSession
  own: string
  nameOf: NameOf
}

/** Lines about the call: state, raised hands, and how to speak. */
export function CallLines({ session, own, nameOf, callees }: Props & Pick<PhaseProps, 'callees'>) {
  return (
    <div className="call-lines">
      <Movement session={session} nameOf={nameOf} />
      <Phase session={session} callees={callees} />
      <Declined callees={callees} />
      <Hands session={session} own={own} nameOf={nameOf} />
      <OwnState session={session} />
    </div>
  )
}

interface PhaseProps {
  session: CallSession
  callees: readonly Callee[]
}

function Phase({ session, callees }: PhaseProps) {
  const { t } = useText()
  const { phase, peers } = useSyncExternalStore(session.watch, session.state)
  if (phase === 'failed') return null
  if (phase === 'in') return peers.length === 0 ? <Alone callees={callees} /> : null
  return (
    <p className="call-line" role="status">
      <Loader size={14} aria-hidden /> {t(`call.${phase}`)}
    </p>
  )
}

function Alone({ callees }: Pick<PhaseProps, 'callees'>) {
  const { t, list } = useText()
  const called = callees.filter(({ state }) => state === 'calling').map(({ person }) => person.nickname)
  if (called.length === 0) return <p className="call-line">{t('call.alone')}</p>
  // Their tiles say it to others.
  return (
    <VisuallyHidden component="p" role="status">
      {t('call.calling', { names: list(called) })}
    </VisuallyHidden>
  )
}

function Declined({ callees }: Pick<PhaseProps, 'callees'>) {
  const { t, list } = useText()
  const names = callees.filter(({ state }) => state === 'declined').map(({ person }) => person.nickname)
  if (names.length === 0) return null
  return (
    <p className="call-line" role="status">
      {t('call.declined', { name: list(names) })}
    </p>
  )
}

/** Raised hands in the order in which they were raised. */
function Hands({ session, own, nameOf }: Props) {
  const { t, list } = useText()
  const { peers, handAt } = useSyncExternalStore(session.watch, session.state)
  const hands = [
    ...(handAt === null ? [] : [{ at: handAt, name: t('call.you', { name: own }) }]),
    ...peers.flatMap(({ hand, userId }) =>
      hand === null ? [] : [{ at: hand, name: nameOf(userId).nickname }],
    ),
  ].toSorted((a, b) => a.at.localeCompare(b.at))
  if (hands.length === 0) return null
  return (
    <p className="call-line" role="status">
      {t('call.hands', { names: list(hands.map(({ name }) => name)) })}
    </p>
  )
}

/** What the user sends, or how to speak. */
function OwnState({ session }: { session: CallSession }) {
  const { t } = useText()
  const { phase, grants, isMuted, own } = useSyncExternalStore(session.watch, session.state)
  if (phase !== 'in') return null
  const key = isMuted ? 'call.mutedByModerator' : grants.audio ? 'call.pushToTalk' : 'call.listenOnly'
  return (
    <>
      {own.screen && <p className="call-line">{t('call.yourScreen')}</p>}
      {!own.audio && (
        <p
          className={key === 'call.pushToTalk' ? 'call-line call-space' : 'call-line'}
          role={isMuted ? 'alert' : undefined}
        >
          {t(key)}
        </p>
      )}
    </>
  )
}

/** Reads out who comes and goes. */
function Movement({ session, nameOf }: { session: CallSession; nameOf: NameOf }) {
  const { t } = useText()
  const { peers, phase } = useSyncExternalStore(session.watch, session.state)
  const [before, setBefore] = useState<readonly CallPeer[]>(peers)
  const [text, setText] = useState('')
  useEffect(() => {
    setBefore(peers)
    if (phase !== 'in') return
    const isIn = (list: readonly CallPeer[], id: string) =>
      list.some(({ connectionId }) => connectionId === id)
    const come = peers.find(({ connectionId }) => !isIn(before, connectionId))
    const gone = before.find(({ connectionId }) => !isIn(peers, connectionId))
    if (come) setText(t('call.joined', { name: nameOf(come.userId).nickname }))
    else if (gone) setText(t('call.left', { name: nameOf(gone.userId).nickname }))
  }, [peers])
  return (
    <VisuallyHidden component="p" role="status">
      {text}
    </VisuallyHidden>
  )
}
