import { statSync } from 'node:fs'
import type { Database } from '@latchkey/database/database'
import { openSqliteFile } from '@latchkey/database/sqlite-file'
import type { Tables } from '../db/tables.ts'
import { isLegacyKey, parseLegacyKey } from '../urls/legacy-path.ts'
import {
  type DestinationRow,
  type LegacyRow,
  type Lookup,
  toDestination,
  toLegacyDestination,
} from './lookup.ts'

/**
 * The inner index pages are a 300th of a file that consists mostly of links: 2 MB for a million
 * links, 15 MB for ten million. For a million links, more than the minimum did not help.
 */
const CACHE_SHARE = 1 / 300
const MIN_CACHE_KIB = 4_096
const MAX_CACHE_KIB = 16_384

/** A covering index has all columns (see the first migration). A primary slug is always enabled. */
export const SELECT_BY_PRIMARY =
  'select id, url, expires_at, behaviour from link where primary_slug = ? and disabled_at is null'

interface SlugRow {
  link_id: number
  disabled_at: number | null
}

/**
 * Reads the database on every redirect, so a change applies to the next one. One read transaction
 * serves all requests of a turn of the event loop: locking and unlocking the file for each would
 * cost more than the lookup. A write of this process ends it at once.
 */
export function openSqliteLookup(path: string, database: Database<Tables>): Lookup {
  const cacheKib = Math.round((statSync(path).size / 1024) * CACHE_SHARE)
  const file = openSqliteFile(path, {
    readonly: true,
    cacheKib: Math.min(Math.max(cacheKib, MIN_CACHE_KIB), MAX_CACHE_KIB),
  })
  const findByPrimary = file.prepare<DestinationRow, [string]>(SELECT_BY_PRIMARY)
  const findSlug = file.prepare<SlugRow, [string]>('select link_id, disabled_at from slug where slug = ?')
  const findById = file.prepare<DestinationRow, [number]>(
    'select id, url, expires_at, behaviour from link where id = ? and disabled_at is null',
  )
  const findLegacy = file.prepare<LegacyRow, [string, string]>(
    `select id, url, expires_at, behaviour, primary_slug, disabled_at
      from legacy_path join link on id = link_id where legacy_path.domain = ? and path = ?`,
  )
  const begin = file.prepare('begin')
  const commit = file.prepare('commit')
  let isReading = false
  const stopReading = () => {
    if (!isReading) return
    isReading = false
    // A disk error has already ended it, and the lookup has thrown.
    if (file.inTransaction) commit.run()
  }
  const findBySlug = (slug: string) => {
    const hit = findSlug.get(slug)
    if (!hit) return undefined
    return hit.disabled_at === null ? findById.get(hit.link_id) : null
  }
  const findByLegacyPath = (key: string) => {
    const { domain, path: legacyPath } = parseLegacyKey(key)
    const row = findLegacy.get(domain, legacyPath)
    return row ? toLegacyDestination(row) : undefined
  }
  database.afterWrite(stopReading)
  return {
    find(key) {
      if (!isReading) {
        begin.run()
        isReading = true
        setImmediate(stopReading)
      }
      if (isLegacyKey(key)) return findByLegacyPath(key)
      const link = findByPrimary.get(key) ?? findBySlug(key)
      return link && toDestination(link)
    },
    async close() {
      stopReading()
      for (const statement of [findByPrimary, findSlug, findById, findLegacy, begin, commit])
        statement.finalize()
      file.close()
    },
  }
}
