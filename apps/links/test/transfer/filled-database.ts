import { sql } from 'kysely'
import * as fc from 'fast-check'
import { readDashboardStats } from '../../src/analytics/dashboard.ts'
import { readClickStats, readTimeline } from '../../src/analytics/stats.ts'
import { Range } from '../../src/time/schema.ts'
import { RollupJob } from '../../src/rollups/index.ts'
import { readBundleStats } from '../../src/analytics/bundle-stats.ts'
import { findBundleRow, summarise } from '../../src/bundles/store.ts'
import { openRecorder } from '../../src/counting/open-recorder.ts'
import { deleteClicksBefore } from '../../src/counting/old-clicks.ts'
import { withSnapshot } from '../../src/db/snapshot.ts'
import { foldForSearch, searchText } from '../../src/links/search.ts'
import { deleteLinkRow, lockLinkForWrite } from '../../src/links/store.ts'
import { urlKey } from '../../src/urls/destination-url.ts'
import { exportInstance } from '../../src/transfer/instance/export.ts'
import type { Database } from '@latchkey/database/database'
import type { Tables } from '../../src/db/tables.ts'
import { type Slug, classifyGenerated, histories } from '../analytics/click-history.ts'
import { NOW, TestDatabase } from '../test-database.ts'

const DAY = 86_400
export const LINKS = 6
/** Texts that are difficult for files, engines and spreadsheets. */
const TEXTS = [
  'Plain',
  'quotes " and \\ and /',
  'line\nend\r\ttab',
  'Åsa 🔑 ключ',
  '\u2028\u007f\u0001',
  "o'clock",
  '',
]

/**
 * An instance with every state: links of all states, clicks in open and closed hours, in rollups
 * and after retention.
 */
export async function fillDatabase(stored: TestDatabase): Promise<void> {
  const slugs: Slug[] = []
  for (let at = 0; at < LINKS; at++) {
    const id = await stored.createLink(`auto${at}`, `custom.${at}`, `more-${at}`)
    slugs.push({ linkId: id, slug: `auto${at}` }, { linkId: id, slug: `custom.${at}` })
    const label = TEXTS[at % TEXTS.length] ?? null
    const url = `https://example.com/${at}?q=%C3%B6#'"`
    const created_by = at % 2 === 0 ? 'ann@example.com' : 'Åsa Öberg'
    await stored.run(sql`update link set label = ${label}, url = ${url}, url_key = ${urlKey(url)},
      search_text = ${searchText({ label, url, created_by })},
      expires_at = ${[null, 0, NOW + 5, 253_402_300_799][at % 4]}, disabled_at = ${at % 5 === 0 ? NOW : null},
      created_by = ${created_by}, created_at = ${NOW - at * 40 * DAY},
      created_via = ${at === 3 ? null : 'api'}, primary_slug = ${at % 3 === 0 ? `custom.${at}` : `auto${at}`}
      where id = ${id}`)
    await stored.run(sql`update slug set disabled_at = ${NOW - 9} where slug = ${`more-${at}`}`)
  }
  const recorder = openRecorder(stored.url)
  const clicks = fc
    .sample(histories, { numRuns: 6, seed: 7 })
    .flat()
    .map((click) => classifyGenerated(click, slugs))
  await recorder.record(clicks, { from: { journalId: 'node-1', seq: 0 }, to: 41 })
  await stored.run(sql`update click set variant = '2.1' where id % 3 = 0`)
  while (await recorder.closeHours(NOW - 2 * 3600));
  await deleteClicksBefore(stored.database, NOW - 400 * DAY)
  const rollupJob = new RollupJob(stored.database, 1)
  for (let step = 0; step < 40; step++) await rollupJob.step(NOW)
  await recorder.close()
  const deletedId = slugs.at(-1)?.linkId ?? 0
  await stored.recorded.write(async (tx) => {
    await lockLinkForWrite(tx, stored.database, deletedId)
    await deleteLinkRow(tx, stored.database, deletedId)
  })
  await fillOtherTables(stored)
}

async function fillOtherTables(stored: TestDatabase): Promise<void> {
  for (const [at, text] of TEXTS.entries()) {
    await stored.run(sql`insert into bundle
      (name, description, icon, accent, archived_at, created_via, created_by, created_at, updated_at,
        search_text)
      values (${`b ${text}`}, ${at === 0 ? null : text}, ${at === 1 ? '🔑' : null}, 'red', ${at === 2 ? NOW : null},
        'api', 'ann@example.com', ${NOW + at}, ${NOW + at}, ${foldForSearch(`b ${text}`)})`)
    await stored.run(sql`insert into bundle_link select ${at + 1}, id from link where id % 7 = ${at}`)
    await stored.run(sql`insert into bundle_link select ${at + 1}, id from link where ${at} = 0 and id > 1`)
    await stored.run(sql`insert into api_key (title, key_prefix, key_hash, scope, identity, created_at, last_used_at)
      values (${text}, 'sk_0000', ${`hash ${at}`}, 'create,read', 'ann@example.com', ${NOW}, ${at === 0 ? null : NOW})`)
  }
  await stored.run(sql`insert into preference (identity, slug_default_length, theme, time_zone, default_range, filter_bots)
    values ('ann@example.com', 7, 'dark', 'Asia/Jakarta', '7d', 0)`)
  await stored.run(sql`insert into qr_preset (identity, name, style)
    values ('ann@example.com', 'Brand', '{"shape":"round"}')`)
  await stored.run(
    sql`insert into instance values ('title_secret', 's3cret'), ('root_redirect_url', 'https://example.com/')`,
  )
  await stored.run(sql`update link set behaviour = '{"limit":true}', version = 3 where id = 2`)
  await stored.run(sql`insert into link_behaviour values (2, '{"max_clicks":9}')`)
  await stored.run(sql`insert into link_limit values (2, 9, 4, 0)`)
  await stored.run(sql`insert into imported_file values ('abc', ${NOW})`)
  await stored.run(sql`insert into stats_share (secret_hash, link_id, bundle_id, created_at)
    values ('hash 1', 1, null, ${NOW}), ('hash 2', null, 2, ${NOW}), ('gone', null, ${TEXTS.length}, ${NOW})`)
  await stored.run(sql`insert into webhook (url, types, bundle_id, created_by, created_at, updated_at, secret,
      previous_secret, previous_until)
    values ('https://receiver.example/', '["link.created"]', 2, 'ann@example.com', ${NOW}, ${NOW}, 'sealed',
      'sealed before', ${NOW + 9})`)
  await stored.run(sql`insert into link_default values
    ('ann@example.com', 'l.example.org', 2, 86400, 'utm'), ('ben@example.com', null, ${TEXTS.length}, null, null)`)
  await stored.run(sql`insert into utm_template (name, utm_source, utm_medium, utm_campaign, utm_term, utm_content,
      identity, shared, created_at)
    values ('Mail', 'newsletter', 'email', '', '', 'é', 'ann@example.com', 1, ${NOW})`)
  await stored.run(sql`insert into policy (identity, assistant, writes, confirm, writes_per_hour, hosts, bundles)
    values ('ann@example.com', 'key:1', 'plan', 'always', 9, '["example.com"]', '[2]')`)
  await stored.run(sql`delete from bundle where id = ${TEXTS.length}`)
  const url = 'https://example.com/further'
  const further = await stored.createLink('l.example.org/auto1', 'l.example.org/custom.1')
  await stored.run(sql`update link set url = ${url}, url_key = ${urlKey(url)},
    search_text = ${searchText({ label: null, url, created_by: 'ann@example.com' })} where id = ${further}`)
  await stored.run(sql`insert into domain (host, root_url, status, robots, alias_of, well_known)
    values ('l.example.org', 'https://example.com/', 307, 'allow', '', '{"assetlinks.json":[]}'),
      ('', null, null, 'disallow', 'lost.example', null)`)
  await stored.run(sql`insert into plan (title, state, identity, via, assistant, created_at, expires_at, applied_at,
    op_count, change_count, ops, diff, warnings, versions) values ('Spring', 'applied', 'ann@example.com', 'mcp',
    'local', 1, 86401, 2, 1, 1, '[{"operation":"createLink"}]', '[{"kind":"link.created"}]', '[]', '{}')`)
}

export async function exportText(database: Database<Tables>): Promise<string> {
  let text = ''
  await exportInstance(database, NOW, async (piece) => void (text += piece.text))
  return text
}

/**
 * Rows of both engines without internal ids, and the derived values that the database maintains.
 */
export async function readContents(stored: TestDatabase): Promise<Record<string, unknown[]>> {
  const queries = {
    link: 'select * from link order by id',
    slug: 'select * from counted_slug order by slug',
    behaviour: 'select * from link_behaviour join link_limit using (link_id) order by link_id',
    retired: 'select slug from retired_slug order by slug',
    bundle: 'select * from bundle order by id',
    member: 'select * from bundle_link order by bundle_id, link_id',
    key: 'select * from api_key order by id',
    share: 'select * from stats_share order by secret_hash',
    preference: 'select * from preference order by identity',
    preset: 'select * from qr_preset order by id',
    instance: 'select * from instance order by name',
    click: `select link_id, slug, clicked_at, referrer, referrer_host, country, device_type, os, browser, link_mode, channel,
      utm_source, utm_medium, utm_campaign, utm_term, utm_content, user_agent, is_bot, is_self_referrer, visitor_fp, variant
      from click order by id`,
    hour: 'select * from click_hour order by link_id, hour, slug',
    forgotten: 'select * from click_forgotten order by link_id, hour, slug, dimension, name, clicks',
    history: 'select * from history order by id',
    plan: 'select * from plan order by id',
    policy: 'select * from policy order by identity, assistant',
    webhook: 'select * from webhook order by id',
    default: 'select * from link_default order by identity',
    template: 'select * from utm_template order by id',
    imported: 'select * from imported_file order by sha256',
    cursor: 'select * from journal_cursor order by journal_id',
    owner:
      'select created_by, sum(links) as links from link_count group by created_by having sum(links) > 0 order by 1',
    day: 'select start, sum(links) as links from link_day group by start having sum(links) > 0 order by 1',
  }
  const contents: Record<string, unknown[]> = {}
  for (const [name, query] of Object.entries(queries)) contents[name] = await stored.rows(query)
  return contents
}

/** All statistics of every link, bundle and the instance, in every range, for every viewer. */
export async function readAllStats(stored: TestDatabase): Promise<unknown[]> {
  const links = await stored.rows<{ id: number }>('select id from link order by id')
  const bundles = await stored.rows<{ id: number }>('select id from bundle order by id')
  const allStats: unknown[] = []
  for (const range of Range.options)
    for (const filters of [
      { bots: false, selfReferrers: false },
      { bots: true, selfReferrers: true },
    ]) {
      const view = { range, tz: 'UTC', now: NOW, filters }
      await withSnapshot(stored.database, async (db) => {
        for (const { id } of links) {
          const { stats } = await readClickStats(db, [id], view)
          allStats.push({
            range,
            id,
            stats,
            line: await readTimeline(db, [id], { ...view, tz: 'Asia/Kolkata' }),
          })
        }
        for (const { id } of bundles) {
          const row = await findBundleRow(db.read, id)
          if (!row) continue
          allStats.push({
            range,
            stats: await readBundleStats(db, row, view),
            summary: await summarise(db, [row], view),
          })
        }
        allStats.push({ range, dashboard: await readDashboardStats(db, view) })
      })
    }
  return allStats
}
