import type { Database } from '@latchkey/database/database'
import { openSqliteFile } from '@latchkey/database/sqlite-file'
import type { Tables } from '../db/tables.ts'
import { type Lookup, targetOf } from './lookup.ts'
import { RecentTargets } from './recent-targets.ts'

/** Holds the inner pages of both indexes at ten million links. */
const CACHE_KIB = 8_192

interface SlugHit {
  slug: string
  link_id: number
  disabled_at: number | null
}

interface LinkHit {
  url: string
  expires_at: number | null
  disabled_at: number | null
}

/**
 * Targets that were followed lately are kept in memory, and forgotten as soon as the database numbers another change of a
 * link (see the second migration), whoever made it. That is asked once in a turn of the event loop, and again after each
 * write of this process, so a change shows on the next redirect.
 *
 * Two look-ups by key cost a fifth of their join here. One read transaction serves all requests of a turn: taking and
 * giving back the file lock for each would cost more than the look-up. A write of this process ends it at once.
 */
export function openSqliteLookup(path: string, database: Database<Tables>): Lookup {
  const file = openSqliteFile(path, { readonly: true, cacheKib: CACHE_KIB })
  const lastChange = file.prepare<{ seq: number | null }, []>('select max(seq) as seq from change')
  const slugOf = file.prepare<SlugHit, [string]>('select slug, link_id, disabled_at from slug where slug = ?')
  const linkOf = file.prepare<LinkHit, [number]>('select url, expires_at, disabled_at from link where id = ?')
  const begin = file.prepare('begin')
  const commit = file.prepare('commit')
  const recent = new RecentTargets()
  let recentAt: number | null | undefined
  let reading = false
  const startReading = () => {
    begin.run()
    reading = true
    setImmediate(stopReading)
    try {
      const changedAt = lastChange.get()?.seq
      if (changedAt !== recentAt) recent.clear()
      recentAt = changedAt
    } catch (error) {
      // Nothing is believed before it is asked.
      stopReading()
      throw error
    }
  }
  const stopReading = () => {
    if (!reading) return
    reading = false
    commit.run()
  }
  database.afterWrite(stopReading)
  return {
    cache: recent,
    find(slug) {
      if (!reading) startReading()
      const known = recent.get(slug)
      if (known) return known
      const hit = slugOf.get(slug)
      if (!hit || hit.disabled_at !== null) return undefined
      const link = linkOf.get(hit.link_id)
      if (!link || link.disabled_at !== null) return undefined
      const target = targetOf(hit.link_id, link.url, link.expires_at)
      // By the database's own string: a part of the request's would keep all of that in memory.
      if (target) recent.set(hit.slug, target)
      return target
    },
    async close() {
      stopReading()
      for (const statement of [lastChange, slugOf, linkOf, begin, commit]) statement.finalize()
      file.close()
    },
  }
}
