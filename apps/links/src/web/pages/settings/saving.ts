import { queries } from '@latchkey/web/queries'
import { useMutation } from '@tanstack/react-query'
import { type Input, type Result, call } from '../../call.ts'
import { changed } from '../../queries.ts'

export type Settings = Result<'getSettings'>
type Change = Input<'updateSettings'>['body']

const KEY = ['settings', 'getSettings', {}]

const shown = () => queries.getQueryData<{ body: Settings }>(KEY)?.body

/** The values in `from` of those settings that `change` names. */
function sameKeys(from: Settings | undefined, change: Change): Partial<Settings> {
  return Object.fromEntries(Object.entries(from ?? {}).filter(([name]) => name in change))
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
      const before = sameKeys(shown(), change)
      show(change)
      return before
    },
    onError: (_, __, before) => show(before ?? {}),
    async onSuccess(settings, change) {
      show(sameKeys(settings, change))
      await changed('links', 'bundles', 'totals')
    },
  })
  return { save: mutate, status, error, reset }
}

export type Saving = ReturnType<typeof useSaving>
