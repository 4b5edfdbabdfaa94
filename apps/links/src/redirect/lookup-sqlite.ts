import type { Database } from '@latchkey/database/database'
import { openSqliteFile } from '@latchkey/database/sqlite-file'
import type { Tables } from '../db/tables.ts'
import { type Lookup, locationOf } from './lookup.ts'

/** Holds the inner pages of both indexes at ten million links. */
const CACHE_KIB = 8_192

interface SlugHit {
  link_id: number
  disabled_at: number | null
}

interface LinkHit {
  url: string
  expires_at: number | null
  disabled_at: number | null
}

/**
 * Reads the database on every redirect, so a change shows on the next one. Two look-ups by key cost a fifth of their
 * join here. One read transaction serves all requests of a turn of the event loop: taking and giving back the file lock
 * for each would cost more than the look-up. A write of this process ends it at once.
 */
export function openSqliteLookup(path: string, database: Database<Tables>): Lookup {
  const file = openSqliteFile(path, { readonly: true, cacheKib: CACHE_KIB })
  const slugOf = file.prepare<SlugHit, [string]>('select link_id, disabled_at from slug where slug = ?')
  const linkOf = file.prepare<LinkHit, [number]>('select url, expires_at, disabled_at from link where id = ?')
  const begin = file.prepare('begin')
  const commit = file.prepare('commit')
  let reading = false
  const stopReading = () => {
    if (!reading) return
    reading = false
    // A disk that could not be read has ended it already, and whoever looked was told.
    if (file.inTransaction) commit.run()
  }
  database.afterWrite(stopReading)
  return {
    find(slug) {
      if (!reading) {
        begin.run()
        reading = true
        setImmediate(stopReading)
      }
      const hit = slugOf.get(slug)
      if (!hit || hit.disabled_at !== null) return undefined
      const link = linkOf.get(hit.link_id)
      if (!link || link.disabled_at !== null) return undefined
      const location = locationOf(link.url)
      return location === undefined
        ? undefined
        : { linkId: hit.link_id, location, expiresAt: link.expires_at }
    },
    async close() {
      stopReading()
      for (const statement of [slugOf, linkOf, begin, commit]) statement.finalize()
      file.close()
    },
  }
}
