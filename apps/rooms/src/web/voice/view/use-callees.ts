import { useEffect, useState, useSyncExternalStore } from 'react'
import { live } from '../../live/live.ts'
import type { CallRoom } from '../call-room.ts'
import type { CallSession } from '../call-session.ts'

type DirectPerson = NonNullable<CallRoom['people']>[number]

/** A person of a direct conversation who has not joined its call. */
export interface Callee {
  person: DirectPerson
  /** Undefined until the user has joined the call themselves. */
  state?: 'calling' | 'declined' | 'missed'
}

/** The people of a direct conversation who have not joined its call. None in a room. */
export function useCallees({ room, watch, state }: CallSession): readonly Callee[] {
  const { phase, peers, startedAt } = useSyncExternalStore(watch, state)
  const isAlerting = useIsAlerting(startedAt)
  const declinedIds = useDeclined(room.id)
  const [joinedIds, setJoinedIds] = useState<ReadonlySet<string>>(new Set())
  useEffect(
    () => setJoinedIds((before) => new Set([...before, ...peers.map(({ userId }) => userId)])),
    [peers],
  )
  if (room.kind !== 'direct' || !room.people || phase === 'failed') return []
  const stateOf = ({ id }: DirectPerson) =>
    declinedIds.includes(id) ? 'declined' : isAlerting ? 'calling' : 'missed'
  return room.people
    .filter(({ id }) => !joinedIds.has(id) && peers.every(({ userId }) => userId !== id))
    .map((person) => (phase === 'joining' ? { person } : { person, state: stateOf(person) }))
}

/** Time for which the others are alerted of a call. */
const ALERT_MS = 30_000

function useIsAlerting(startedAt: string | null): boolean {
  const endMs = startedAt === null ? Infinity : Date.parse(startedAt) + ALERT_MS
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    if (endMs === Infinity) return undefined
    const timer = setTimeout(() => setOver(true), endMs - live.serverNow())
    return () => clearTimeout(timer)
  }, [endMs])
  return !isOver
}

/** Ids of the people who have declined the call. */
function useDeclined(roomId: string): readonly string[] {
  const [userIds, setUserIds] = useState<readonly string[]>([])
  useEffect(
    () =>
      live.onNotice(({ notice, data }) => {
        if (notice === 'call_ended' && data['roomId'] === roomId && data['reason'] === 'declined')
          setUserIds((before) => [...before, String(data['userId'])])
      }),
    [roomId],
  )
  return userIds
}
