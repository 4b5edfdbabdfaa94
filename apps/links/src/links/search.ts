import { type Database, containsText } from '@latchkey/database/database'
import { foldText } from '@latchkey/http/fold'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

type Db = Pick<Database<Tables>, 'dialect' | 'read'>

/** Returns the text of a link in which words are searched, besides its slugs and bundles. */
export function searchText({
  label,
  url,
  created_by,
}: {
  label: string | null
  url: string
  created_by: string
}): string {
  return [label ?? '', url, created_by].map(foldForSearch).join(SEPARATOR)
}

/** A noncharacter that is never part of a word. It prevents matches across two fields. */
const SEPARATOR = '\uffff'
/** Includes the record separator, which the documents have between slugs (0001-search.ts). */
// oxlint-disable-next-line no-control-regex -- that is the character.
const SEPARATORS = /[\u001e\uffff]/g

/** Folds a text for search. The result has no separators. */
export function foldForSearch(value: string): string {
  return foldText(value).replaceAll(SEPARATORS, '\ufffd')
}

/** Further words do not narrow a search. */
const MAX_WORDS = 16

/** The different words of a search. None for a blank search, which filters nothing. */
export function searchWords(search = ''): string[] {
  const words = foldForSearch(search)
    .split(/\s+/u)
    .filter((word) => word !== '')
  return [...new Set(words)].slice(0, MAX_WORDS)
}

/** Whether the text column contains each word. */
export function containsWords(
  dialect: Db['dialect'],
  column: string,
  words: readonly string[],
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(
    words.map((word) => containsText(dialect, column, word)),
    sql` and `,
  )})`
}

/**
 * Whether `link` matches each word: with its document in the column `doc`, or with the name of an
 * active bundle (L6.7).
 */
export function matchesWords(
  dialect: Db['dialect'],
  doc: string,
  words: readonly string[],
): RawBuilder<SqlBool> {
  const matches = words.map(
    (word) => sql<SqlBool>`(${containsText(dialect, doc, word)}
      or link.id in (${membersOf(containsText(dialect, 'bundle.search_text', word))}))`,
  )
  return sql<SqlBool>`(${sql.join(matches, sql` and `)})`
}

/** The links of the active bundles of which the condition is true. */
function membersOf(condition: RawBuilder<SqlBool>): RawBuilder<unknown> {
  return sql`select link_id from bundle_link join bundle on bundle.id = bundle_link.bundle_id
    where bundle.archived_at is null and ${condition}`
}

/** Characters of a key of the index on SQLite, bytes on PostgreSQL. */
const KEY_LENGTH = 3
/** Further keys cost more than they exclude: each may be in hundreds of thousands of documents. */
const MAX_KEYS = 6

/** Returns the parts of three that cover the word, with as little overlap as possible. */
function partsOf<Unit>(word: readonly Unit[]): Unit[][] {
  const last = word.length - KEY_LENGTH
  if (last < 0) return []
  const starts = word.flatMap((_, at) => (at < last && at % KEY_LENGTH === 0 ? [at] : []))
  return [...starts, last].map((at) => word.slice(at, at + KEY_LENGTH))
}

/**
 * Returns keys that each document with these words has. The shortest words have none. The end of a
 * word is rarer than its beginning: many are URLs.
 */
function keysOf<Key extends string | number>(words: readonly string[], keysOfWord: (word: string) => Key[]) {
  const perWord = words.length === 1 ? MAX_KEYS : 2
  const keys = words.flatMap((word) => keysOfWord(word).slice(-perWord))
  return [...new Set(keys)].slice(0, MAX_KEYS)
}

const textKeys = (word: string) =>
  partsOf(Array.from(word)).map((part) => `"${part.join('').replaceAll('"', '""')}"`)

const byteKeys = (word: string) =>
  partsOf([...Buffer.from(word)]).map(([a = 0, b = 0, c = 0]) => (a << 16) | (b << 8) | c)

/** Returns the query of documents with the keys of these words; undefined if there are none. */
function selectIndexed(dialect: Db['dialect'], words: readonly string[]): RawBuilder<unknown> | undefined {
  if (dialect === 'sqlite') {
    const keys = keysOf(words, textKeys)
    return keys.length === 0
      ? undefined
      : sql`select rowid as link_id, doc from link_trigram where link_trigram match ${keys.join(' AND ')}`
  }
  const keys = keysOf(words, byteKeys)
  return keys.length === 0
    ? undefined
    : sql`select link_id, doc from link_search where trigrams(doc) @> ${keys}::int[]`
}

/**
 * Returns the query of `link_id` and `doc` of a few links among which are all that match the words;
 * undefined if the index does not help, because all words are too short.
 */
export async function findCandidates(
  { dialect, read }: Db,
  words: readonly string[],
): Promise<RawBuilder<{ link_id: number; doc: string }> | undefined> {
  const indexed = selectIndexed(dialect, words)
  if (!indexed) return undefined
  const isNamed = sql<SqlBool>`(${sql.join(
    words.map((word) => containsText(dialect, 'bundle.search_text', word)),
    sql` or `,
  )})`
  const named = await sql`select 1 from bundle where archived_at is null and ${isNamed} limit 1`.execute(read)
  if (named.rows.length === 0) return sql`(${indexed})`
  return sql`(select * from (${indexed}) as by_text where ${containsWords(dialect, 'doc', words)}
    union all select link_id, doc from link_search where link_id in (${membersOf(isNamed)})
      and not ${containsWords(dialect, 'doc', words)})`
}
