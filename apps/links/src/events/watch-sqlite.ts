import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { Changes } from './changes.ts'
import type { Watch } from './feed.ts'
import { type Mark, changesSince, findMark, findVersion } from './store.ts'

const LOOK_EVERY_MS = 500

/** A file cannot be listened to, so somebody looks: at one number of the file as long as it stays the same. */
export function watchSqlite({ read }: Database<Tables>, log: Log): Watch {
  let timer: Timer | undefined
  let started: Promise<void> | undefined
  let looking: Promise<void> | undefined
  let mark: Mark
  const look = async (note: (changes: Partial<Changes>) => void) => {
    const version = await findVersion(read)
    if (version === mark.version) return
    mark.version = version
    note(await changesSince(read, mark))
  }
  const rest = () => {
    clearInterval(timer)
    timer = undefined
    started = undefined
  }
  return {
    start(note) {
      if (started) return started
      const mine = findMark(read).then((now) => {
        // Whoever asked has left meanwhile.
        if (started !== mine) return
        mark = now
        timer = setInterval(() => {
          looking ??= look(note)
            .catch((error: unknown) => log.warn('cannot look for changes', { error }))
            .finally(() => (looking = undefined))
        }, LOOK_EVERY_MS)
      })
      started = mine
      mine.catch(() => started === mine && rest())
      return mine
    },
    rest,
    async close() {
      rest()
      await looking
    },
  }
}
