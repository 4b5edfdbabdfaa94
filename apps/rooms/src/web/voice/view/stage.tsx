import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { User } from '../../session.ts'
import type { CallSession } from '../call-session.ts'
import { rowsOf } from './best-grid.ts'
import type { NameOf } from './names.ts'
import { ScreenOf, ScreenOffer } from './screen-of.tsx'
import { CalleeTile, OwnTile, PeerTile } from './tile.tsx'
import { TileGrid, useArea } from './tile-grid.tsx'
import type { Callee } from './use-callees.ts'

interface Props {
  user: User
  session: CallSession
  nameOf: NameOf
  /** People who have not joined the call of a direct conversation, large while the user is alone. */
  callees: readonly Callee[]
  mayModerate: boolean
  /** Whether the call is above the words, where its tiles take as little height as they need. */
  isAbove: boolean
  /** Connection to show large. Undefined in the grid. */
  featured: string | undefined
  /** Shows a person large, or everyone in the same size again. */
  onFeature: (connectionId: string | undefined) => void
}

/** Screens and people. What is large has the people in a strip beside it. */
export function Stage({ user, session, nameOf, callees, mayModerate, isAbove, featured, onFeature }: Props) {
  const { peers } = useSyncExternalStore(session.watch, session.state)
  const [stage, { width }] = useArea()
  const { watch, feature } = useMoves(stage, session, onFeature)
  const screens = peers.filter(({ screen }) => screen)
  const watched = screens.filter(({ connectionId }) => session.isWatched(connectionId))
  const offered = screens.filter((peer) => !watched.includes(peer))
  const large = watched.length > 0 ? undefined : peers.find(({ connectionId }) => connectionId === featured)
  const tileOf = (peer: (typeof peers)[number]) => (
    <PeerTile
      key={peer.connectionId}
      peer={peer}
      person={nameOf(peer.userId)}
      session={session}
      mayModerate={mayModerate}
      isFeatured={peer === large}
      onFeature={(id) => feature(id, peer.connectionId)}
    />
  )
  const people = [
    ...offered.map((peer) => (
      <ScreenOffer
        key={`screen ${peer.connectionId}`}
        peer={peer}
        name={nameOf(peer.userId).nickname}
        onWatch={watch}
      />
    )),
    <OwnTile key="own" user={user} session={session} />,
    ...peers.filter((peer) => peer !== large).map(tileOf),
  ]
  const focus = watched.map((peer) => (
    <ScreenOf
      key={peer.connectionId}
      peer={peer}
      name={nameOf(peer.userId).nickname}
      session={session}
      onWatch={watch}
    />
  ))
  if (large) focus.push(tileOf(large))
  if (peers.length === 0)
    focus.push(...callees.map((callee) => <CalleeTile key={callee.person.id} callee={callee} />))
  return <Layout stage={stage} width={width} isAbove={isAbove} focus={focus} people={people} />
}

interface LayoutProps {
  stage: RefObject<HTMLDivElement | null>
  width: number
  isAbove: boolean
  focus: readonly ReactNode[]
  people: readonly ReactNode[]
}

/** A grid of people, or of what is large with the people in a strip. */
function Layout({ stage, width, isAbove, focus, people }: LayoutProps) {
  const rows = isAbove && focus.length === 0 ? rowsOf(people.length, width) : undefined
  return (
    <div
      className="call-stage"
      ref={stage}
      style={rows && ({ '--stage-height': `${rows.height}px` } as CSSProperties)}
    >
      <div className="call-layout">
        {focus.length > 0 ? (
          <>
            <TileGrid className="call-focus" count={focus.length}>
              {focus}
            </TileGrid>
            <ul className="call-people call-strip">{people}</ul>
          </>
        ) : (
          <TileGrid className="call-people" count={people.length} columns={rows?.columns}>
            {people}
          </TileGrid>
        )}
      </div>
    </div>
  )
}

/**
 * Watches screens, and shows people large. The button for that moves to another place, and the focus
 * with it.
 */
function useMoves(stage: RefObject<HTMLElement | null>, session: CallSession, onFeature: Props['onFeature']) {
  const watch = useWatched(session)
  const [moved, setMoved] = useState<string>()
  useEffect(() => {
    if (moved === undefined) return
    setMoved(undefined)
    // Later than a menu, which returns the focus to where it was.
    setTimeout(() => stage.current?.querySelector<HTMLElement>(`${moved} button`)?.focus())
  }, [moved])
  return {
    watch: (connectionId: string, isWatched: boolean) => {
      watch(connectionId, isWatched)
      setMoved(`[data-screen="${connectionId}"]`)
    },
    feature: (connectionId: string | undefined, from: string) => {
      onFeature(connectionId)
      setMoved(`[data-connection="${from}"]`)
    },
  }
}

/** Screens that play without being asked for. Each takes the most of a network. */
const MAX_PLAYING = 2

/**
 * Plays the first screens at once, unless the user has stopped them or wants sound only. What the
 * user has chosen holds after a lost connection, from whichever end it was lost.
 */
function useWatched(session: CallSession) {
  const { peers, isAudioOnly } = useSyncExternalStore(session.watch, session.state)
  /** What the user has chosen for a screen, with its connection, by user. */
  const choices = useRef(new Map<string, { connectionId: string; isWatched: boolean }>())
  useEffect(() => {
    const screens = peers.filter(({ screen }) => screen)
    for (const { userId, connectionId, screen } of peers)
      if (!screen && choices.current.get(userId)?.connectionId === connectionId) {
        choices.current.delete(userId)
        // Another screen of the same person is another choice.
        session.setWatched(connectionId, false)
      }
    let playing = screens.filter(({ connectionId }) => session.isWatched(connectionId)).length
    for (const { userId, connectionId } of screens) {
      const choice = choices.current.get(userId)
      if (choice) choice.connectionId = connectionId
      if (session.isWatched(connectionId)) continue
      if (!(choice?.isWatched ?? (playing < MAX_PLAYING && !isAudioOnly))) continue
      playing++
      session.setWatched(connectionId, true)
    }
  }, [peers, isAudioOnly])
  return (connectionId: string, isWatched: boolean) => {
    const userId = peers.find((peer) => peer.connectionId === connectionId)?.userId
    if (userId !== undefined) choices.current.set(userId, { connectionId, isWatched })
    session.setWatched(connectionId, isWatched)
  }
}
