import { queries } from '@latchkey/web/queries'
import { useMutation } from '@tanstack/react-query'
import { type Input, type Result, call } from '../../call.ts'
import { changed } from '../../queries.ts'

export type Settings = Result<'getSettings'>
type Change = Input<'updateSettings'>['body']

const KEY = ['settings', 'getSettings', {}]

const shown = () => queries.getQueryData<{ body: Settings }>(KEY)?.body

const namesOf = (change: Change) => Object.keys(change) as (keyof Settings)[]

/** By setting: what the server holds as far as is known, and how many saves of it have no answer yet. */
const saved = new Map<keyof Settings, { value: unknown; saves: number }>()

function began(change: Change): void {
  for (const name of namesOf(change)) {
    const { value, saves } = saved.get(name) ?? { value: shown()?.[name], saves: 0 }
    saved.set(name, { value, saves: saves + 1 })
  }
}

/** What is to be shown after a save has ended: nothing of what another save of it has yet to decide. */
function ended(change: Change, answer?: Settings): Partial<Settings> {
  const holds = namesOf(change).flatMap((name) => {
    const { value, saves } = saved.get(name) ?? { value: shown()?.[name], saves: 1 }
    const now = answer ? answer[name] : value
    if (saves === 1) saved.delete(name)
    else saved.set(name, { value: now, saves: saves - 1 })
    return saves === 1 ? [[name, now]] : []
  })
  return Object.fromEntries(holds) as Partial<Settings>
}

/**
 * Saves one setting. What is chosen shows at once, and is taken back when it is refused; `settle` hears what holds, at
 * both moments. Saves of all settings run one after the other.
 */
export function useSaving(settle: (settings: Settings) => void = () => {}) {
  const show = (part: object) => {
    const settings = { ...shown(), ...part } as Settings
    queries.setQueryData(KEY, (reply: object | undefined) => reply && { ...reply, body: settings })
    settle(settings)
  }
  const { mutate, status, error, reset } = useMutation({
    scope: { id: 'settings' },
    mutationFn: (body: Change) => call('updateSettings', { body }, { keepalive: true }),
    onMutate(change) {
      began(change)
      show(change)
    },
    onError(_, change) {
      show(ended(change))
      // A save whose answer was lost may have been done.
      if (saved.size === 0) void changed('settings')
    },
    async onSuccess(settings, change) {
      show(ended(change, settings))
      await changed('links', 'bundles', 'totals')
    },
  })
  return { save: mutate, status, error, reset }
}

export type Saving = ReturnType<typeof useSaving>
