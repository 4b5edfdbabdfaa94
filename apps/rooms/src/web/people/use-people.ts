import { useEffect, useSyncExternalStore } from 'react'
import type { Result } from '../call.ts'
import { live } from '../live/live.ts'
import { invalidate } from '../queries.ts'
import { useUser } from '../session.ts'

export type ListedPerson = Result<'listPeople'>['people'][number]

/** People that one frame may name, as `socket_people` is by default. */
const MAX_PEOPLE = 200
/** Minimum time between two frames: in a busy room, other people are on display every second. */
const ASK_AFTER_MS = 1_000
/** Changes whose frames were lost are found by asking again. */
const ASK_EVERY_MS = 300_000

const displays = new Map<object, readonly string[]>()
const listeners = new Set<() => void>()
let people: ReadonlyMap<string, ListedPerson> = new Map()
let timer: ReturnType<typeof setInterval> | undefined
let asking: ReturnType<typeof setTimeout> | undefined
let askedAt = 0
let stopWatching = () => {}

/** Names the people on display to the server, those of the newest displays first. */
function ask(): void {
  asking ??= setTimeout(
    () => {
      asking = undefined
      askedAt = Date.now()
      const ids = new Set([...displays.values()].toReversed().flat())
      const userIds = [...ids].slice(0, MAX_PEOPLE)
      // The others may have changed by the time they are on display again.
      people = new Map([...people].filter(([id]) => ids.has(id)))
      live.request({ type: 'people', userIds })
    },
    Math.max(0, askedAt + ASK_AFTER_MS - Date.now()),
  )
}

live.onPeople = ({ people: changed }) => {
  const before = people
  people = new Map([...before, ...changed.map((person) => [person.id, person] as const)])
  for (const listener of listeners) listener()
  // A direct conversation has the names of its people.
  if (changed.some(({ id, nickname }) => (before.get(id)?.nickname ?? nickname) !== nickname))
    void invalidate('rooms', 'room')
}

function watch(listener: () => void): () => void {
  listeners.add(listener)
  if (listeners.size === 1) {
    stopWatching = live.watch(() => live.state === 'live' && ask())
    timer = setInterval(ask, ASK_EVERY_MS)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    stopWatching()
    clearInterval(timer)
    people = new Map()
  }
}

/** Ids joined by commas. Guests are shown no one (R37.1a). */
function useDisplay(ids: string): void {
  const isGuest = useUser().identityType === 'guest'
  useEffect(() => {
    if (ids === '' || isGuest) return undefined
    const display = {}
    displays.set(display, ids.split(','))
    ask()
    return () => {
      displays.delete(display)
      ask()
    }
  }, [ids, isGuest])
}

/** What these people show of themselves now, as far as it is known. */
export function usePeople(userIds: readonly string[]): ReadonlyMap<string, ListedPerson> {
  useDisplay(userIds.toSorted().join())
  return useSyncExternalStore(watch, () => people)
}

/** What a person shows of themselves now. Undefined until it is known, and without a person. */
export function usePerson(userId: string | undefined): ListedPerson | undefined {
  useDisplay(userId ?? '')
  return useSyncExternalStore(watch, () => (userId === undefined ? undefined : people.get(userId)))
}
