import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { Changes } from './changes.ts'
import type { ChangeWatcher } from './feed.ts'
import { type ChangePosition, readChangesSince, findChangePosition, findVersion } from './store.ts'

const POLL_EVERY_MS = 500

/**
 * A file sends no notifications, so it is polled: only its version number while that stays the
 * same.
 */
export function watchSqlite({ read }: Database<Tables>, log: Log): ChangeWatcher {
  let timer: Timer | undefined
  let started: Promise<void> | undefined
  let polling: Promise<void> | undefined
  let position: ChangePosition
  const poll = async (onChanges: (changes: Partial<Changes>) => void) => {
    const version = await findVersion(read)
    if (version === position.version) return
    position.version = version
    onChanges(await readChangesSince(read, position))
  }
  const pause = () => {
    clearInterval(timer)
    timer = undefined
    started = undefined
  }
  return {
    start(onChanges) {
      if (started) return started
      const starting = findChangePosition(read).then((now) => {
        // The reader has left meanwhile.
        if (started !== starting) return
        position = now
        timer = setInterval(() => {
          polling ??= poll(onChanges)
            .catch((error: unknown) => log.warn('events: cannot look for changes', { error }))
            .finally(() => (polling = undefined))
        }, POLL_EVERY_MS)
      })
      started = starting
      starting.catch(() => started === starting && pause())
      return starting
    },
    pause,
    async close() {
      pause()
      await polling
    },
  }
}
