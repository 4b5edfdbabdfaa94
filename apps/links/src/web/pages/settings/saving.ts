import { queries } from '@latchkey/web/queries'
import { useMutation } from '@tanstack/react-query'
import { type Input, type Result, call } from '../../call.ts'
import { invalidate } from '../../queries.ts'

export type Settings = Result<'getSettings'>
type Change = Input<'updateSettings'>['body']

const KEY = ['settings', 'getSettings', {}]

const readCached = () => queries.getQueryData<{ body: Settings }>(KEY)?.body

const namesOf = (change: Change) => Object.keys(change) as (keyof Settings)[]

/** Last known value on the server and number of unanswered saves, by preference. */
const pendingSaves = new Map<keyof Settings, { value: unknown; saves: number }>()

function startChange(change: Change): void {
  for (const name of namesOf(change)) {
    const { value, saves } = pendingSaves.get(name) ?? { value: readCached()?.[name], saves: 0 }
    pendingSaves.set(name, { value, saves: saves + 1 })
  }
}

/** Returns the values to display after a save, except those with another unanswered save. */
function finishChange(change: Change, answer?: Settings): Partial<Settings> {
  const finished = namesOf(change).flatMap((name) => {
    const { value, saves } = pendingSaves.get(name) ?? { value: readCached()?.[name], saves: 1 }
    const latest = answer ? answer[name] : value
    if (saves === 1) pendingSaves.delete(name)
    else pendingSaves.set(name, { value: latest, saves: saves - 1 })
    return saves === 1 ? [[name, latest]] : []
  })
  return Object.fromEntries(finished) as Partial<Settings>
}

/**
 * Saves one preference. Displays the new value immediately, and the previous one again after a
 * refusal. `onSettled` receives the preferences at both times. Saves run one after the other.
 */
export function useSaving(onSettled: (settings: Settings) => void = () => {}) {
  const updateCache = (part: object) => {
    const settings = { ...readCached(), ...part } as Settings
    queries.setQueryData(KEY, (reply: object | undefined) => reply && { ...reply, body: settings })
    onSettled(settings)
  }
  const { mutate, status, error, reset } = useMutation({
    scope: { id: 'settings' },
    mutationFn: (body: Change) => call('updateSettings', { body }, { keepalive: true }),
    onMutate(change) {
      startChange(change)
      updateCache(change)
    },
    onError(_, change) {
      updateCache(finishChange(change))
      // The server may have saved the value although its response was lost.
      if (pendingSaves.size === 0) void invalidate('settings')
    },
    async onSuccess(settings, change) {
      updateCache(finishChange(change, settings))
      await invalidate('links', 'bundles', 'totals', 'domains')
    },
  })
  return { save: mutate, status, error, reset }
}

export type Saving = ReturnType<typeof useSaving>
