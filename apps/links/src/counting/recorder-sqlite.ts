import type { Database } from 'bun:sqlite'
import { BUSY_TIMEOUT_MS, openSqliteFile } from '@latchkey/database/sqlite-file'
import { invalidateRollups } from '../clicks/changed-hours.ts'
import type { ClassifiedClick } from '../clicks/click.ts'
import { clickValues } from '../clicks/click-values.ts'
import type { Cursor, Recorder } from './recorder.ts'
import { clickRanges } from '../events/click-ranges.ts'
import { countByHour } from './hour-counts.ts'

/**
 * With `or fail`, SQLite keeps no copy of each page that several rows change to roll back a single
 * statement. A failure here rolls back the whole transaction.
 */
const INSERT_CLICKS = `insert or fail into click (link_id, slug, clicked_at, referrer, referrer_host, country, device_type, os,
  browser, link_mode, channel, utm_source, utm_medium, utm_campaign, utm_term, utm_content, user_agent, is_bot,
  is_self_referrer, visitor_fp, variant, legacy_path) values `
const ONE_CLICK = `(${Array(22).fill('?').join(', ')})`
/**
 * Each statement costs a microsecond per click, most of it for the row of `autoincrement`. More
 * rows per statement save no more.
 */
const CLICKS_PER_INSERT = 8

const ADD_TO_HOUR = `update click_hour_open set clicks = clicks + ?, bots = bots + ?, self_referrers = self_referrers + ?,
  bot_self_referrers = bot_self_referrers + ? where link_id = ? and slug = ? and hour = ?`

/**
 * Only for a slug that exists, found in the index by link. A batch follows the order of the index,
 * page by page.
 */
const BEGIN_HOUR = `insert into click_hour_open (clicks, bots, self_referrers, bot_self_referrers, link_id, slug, hour)
  select ?, ?, ?, ?, link_id, slug, ?7 from slug where link_id = ?5 and +slug = ?6`

const CLOSING = 'click_hour_open where hour < $before and link_id <= $lastLink'

const CLOSE_HOURS = [
  ...invalidateRollups('sqlite', `select link_id, hour from ${CLOSING}`),
  `insert into click_hour_closed select * from ${CLOSING}
    on conflict (link_id, hour, slug) do update set clicks = clicks + excluded.clicks, bots = bots + excluded.bots,
      self_referrers = self_referrers + excluded.self_referrers,
      bot_self_referrers = bot_self_referrers + excluded.bot_self_referrers`,
  `update slug set closed_clicks = closed_clicks + closing.clicks, closed_bots = closed_bots + closing.bots,
    closed_self_referrers = closed_self_referrers + closing.self_referrers,
    closed_bot_self_referrers = closed_bot_self_referrers + closing.bot_self_referrers
    from (select link_id, slug, sum(clicks) as clicks, sum(bots) as bots, sum(self_referrers) as self_referrers,
      sum(bot_self_referrers) as bot_self_referrers from ${CLOSING} group by link_id, slug) as closing
    where slug.slug = closing.slug and slug.link_id = closing.link_id`,
  `delete from ${CLOSING}`,
]

const INSERT_EVENT = `insert into event (type, at, data, first_click, last_click)
  values ('link.clicked', ?, '{}', ?, ?)`

const MOVE_CURSOR = `insert into journal_cursor (journal_id, seq) values (?, ?)
  on conflict (journal_id) do update set seq = excluded.seq`

const SELECT_OLD_SALT = 'select day from visitor_salt where day < ? limit 1'

/**
 * A cache of twice this size saves a microsecond per click (measured among five million clicks).
 * Memory matters more here.
 */
const CACHE_KIB = 4_096
/** Rows that close in one transaction, few enough not to delay other writers. */
const HOURS_PER_CLOSE = 4_000
/**
 * Clicks change the same pages repeatedly. A longer log combines more changes of a page in one
 * checkpoint.
 */
const CHECKPOINT_PAGES = 8_000
const FILE_OPTIONS = { cacheKib: CACHE_KIB, checkpointPages: CHECKPOINT_PAGES, secureDelete: true } as const

type HourValues = [
  clicks: number,
  bots: number,
  selfReferrers: number,
  botSelfReferrers: number,
  linkId: number,
  slug: string,
  hour: number,
]

function prepare(file: Database) {
  return {
    position: file.prepare<{ seq: number }, [string]>('select seq from journal_cursor where journal_id = ?'),
    moveCursor: file.prepare<unknown, [string, number]>(MOVE_CURSOR),
    addToHour: file.prepare<unknown, HourValues>(ADD_TO_HOUR),
    beginHour: file.prepare<unknown, HourValues>(BEGIN_HOUR),
    linkToCloseUpTo: file.prepare<{ link_id: number }, [number, number]>(
      'select link_id from click_hour_open where hour < ? order by link_id limit 1 offset ?',
    ),
    lastClick: file.prepare<{ id: number }, []>('select last_insert_rowid() as id'),
    insertEvent: file.prepare<unknown, [number, number, number]>(INSERT_EVENT),
    insertClick: file.prepare<unknown, (string | number | null)[]>(INSERT_CLICKS + ONE_CLICK),
    insertClicks: file.prepare<unknown, (string | number | null)[]>(
      INSERT_CLICKS + Array(CLICKS_PER_INSERT).fill(ONE_CLICK).join(', '),
    ),
  }
}

export function openSqliteRecorder(path: string): Recorder {
  const file = openSqliteFile(path, FILE_OPTIONS)
  const statements = prepare(file)
  const positionOf = (journalId: string) => statements.position.get(journalId)?.seq ?? 0
  const record = file.transaction(
    (clicks: readonly ClassifiedClick[], move?: { from: Cursor; to: number }) => {
      if (move && positionOf(move.from.journalId) !== move.from.seq) return false
      const missingSlugs = new Set<string>()
      for (const { linkId, slug, hour, ...count } of countByHour(clicks)) {
        const { clicks: all, bots, selfReferrers, botSelfReferrers } = count
        const values: HourValues = [all, bots, selfReferrers, botSelfReferrers, linkId, slug, hour]
        const isUpdated = statements.addToHour.run(...values).changes > 0
        if (!isUpdated && statements.beginHour.run(...values).changes === 0)
          missingSlugs.add(`${linkId} ${slug}`)
      }
      // The order by link is that of the index: a batch then visits each of its pages once.
      const presentClicks = clicks
        .filter(({ linkId, slug }) => !missingSlugs.has(`${linkId} ${slug}`))
        .toSorted((a, b) => a.linkId - b.linkId)
      const batchedCount = presentClicks.length - (presentClicks.length % CLICKS_PER_INSERT)
      for (let first = 0; first < batchedCount; first += CLICKS_PER_INSERT)
        statements.insertClicks.run(
          ...presentClicks.slice(first, first + CLICKS_PER_INSERT).flatMap(clickValues),
        )
      for (const click of presentClicks.slice(batchedCount)) statements.insertClick.run(...clickValues(click))
      // Imported clicks happened long ago.
      if (move && presentClicks.length > 0) {
        const last = statements.lastClick.get()?.id ?? 0
        for (const range of clickRanges({ first: last - presentClicks.length + 1, last }))
          statements.insertEvent.run(Math.floor(Date.now() / 1000), range.first, range.last)
      }
      if (move) statements.moveCursor.run(move.from.journalId, move.to)
      return true
    },
  )
  const closeHours = file.transaction((before: number) => {
    const next = statements.linkToCloseUpTo.get(before, HOURS_PER_CLOSE)
    const lastLink = next?.link_id ?? Number.MAX_SAFE_INTEGER
    for (const sql of CLOSE_HOURS) file.query(sql).run({ before, lastLink })
    return next !== null
  })
  // Rows that an earlier process deleted may still be in the log.
  let isWalEmpty = false
  return {
    position: async (journalId) => positionOf(journalId),
    record: async (clicks, move) => record.immediate(clicks, move),
    closeHours: async (before) => closeHours.immediate(before),
    async deleteSalts(before) {
      if (file.query(SELECT_OLD_SALT).get(before)) {
        file.run('delete from visitor_salt where day < ?', [before])
        isWalEmpty = false
      }
      isWalEmpty ||= truncateWal(file)
    },
    async close() {
      for (const statement of Object.values(statements)) statement.finalize()
      file.close()
    },
  }
}

/**
 * Checkpoints and truncates the write-ahead log. False, without waiting, if a reader still needs
 * its content.
 */
function truncateWal(file: Database): boolean {
  file.run('pragma busy_timeout = 0')
  const result = file.query<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()
  file.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  return result?.busy === 0
}
