import { useEffect, useSyncExternalStore } from 'react'
import type { Result } from '../call.ts'
import { live } from '../live/live.ts'

export type ListedPerson = Result<'listPeople'>['people'][number]

/** People that one frame may name, as `socket_people` is by default. */
const MAX_PEOPLE = 200
/** Changes whose frames were lost are found by asking again. */
const ASK_EVERY_MS = 300_000

const displays = new Map<object, readonly string[]>()
const listeners = new Set<() => void>()
let people: ReadonlyMap<string, ListedPerson> = new Map()
let timer: ReturnType<typeof setInterval> | undefined

function ask(): void {
  const userIds = [...new Set([...displays.values()].flat())].slice(0, MAX_PEOPLE)
  live.request({ type: 'people', userIds })
}

live.onPeople = ({ people: changed }) => {
  people = new Map([...people, ...changed.map((person) => [person.id, person] as const)])
  for (const listener of listeners) listener()
}

function watch(listener: () => void): () => void {
  listeners.add(listener)
  const stop = live.watch(() => live.state === 'live' && ask())
  timer ??= setInterval(ask, ASK_EVERY_MS)
  return () => {
    listeners.delete(listener)
    stop()
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
    people = new Map()
  }
}

/** What these people show of themselves now, as far as it changed since they were read. */
export function usePeople(userIds: readonly string[]): ReadonlyMap<string, ListedPerson> {
  const ids = userIds.join()
  useEffect(() => {
    const display = {}
    displays.set(display, ids === '' ? [] : ids.split(','))
    ask()
    return () => {
      displays.delete(display)
      ask()
    }
  }, [ids])
  return useSyncExternalStore(watch, () => people)
}
