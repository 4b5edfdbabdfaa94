import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { LastBackup } from '@latchkey/database/backup/last-backup'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { saveLastBackup as saveLinksBackup } from '@latchkey/links/backup/last-backup'
import type { Tables as LinksTables } from '@latchkey/links/db/tables'
import { declarations as linksDeclarations } from '@latchkey/links/settings/declarations'
import { saveKnownSettings as saveKnownOfLinks } from '@latchkey/links/settings/known'
import { VERSION } from '@latchkey/rooms/api/version'
import { saveLastBackup } from '@latchkey/rooms/backup/last-backup'
import { migrations } from '@latchkey/rooms/db/migrations'
import type { Tables } from '@latchkey/rooms/db/tables'
import { saveKnownSettings as saveKnownOfRooms } from '@latchkey/rooms/platform/known-settings'
import { sql } from 'kysely'
import { LATCHKEY_SOURCE } from '../../../scripts/latchkey-command.ts'
import { type Instance, instancesOn } from './backup/services.ts'

const CHECK = ['upgrade', '--check']
const later = { env: { BUN_OPTIONS: `--preload=${join(import.meta.dir, 'next-version.ts')}` } }
const nowSeconds = () => Math.floor(Date.now() / 1000)

async function saveBackups({ links, rooms }: Instance, backup: LastBackup): Promise<void> {
  const linksDatabase = openDatabase<LinksTables>(links)
  await linksDatabase.write((tx) => saveLinksBackup(tx, backup))
  await linksDatabase.close()
  const database = openDatabase<Tables>(rooms)
  await database.write((tx) => saveLastBackup(tx, backup))
  await database.close()
}

/** What a start of this version stores. */
async function startOnce({ links, rooms }: Instance): Promise<void> {
  const ofLinks = openDatabase<LinksTables>(links)
  await saveKnownOfLinks(ofLinks)
  await ofLinks.close()
  const ofRooms = openDatabase<Tables>(rooms)
  await ofRooms.write((tx) => saveKnownOfRooms(tx, Date.now()))
  await ofRooms.close()
}

eachDialect((_dialect, newUrl) => {
  const instances = instancesOn(newUrl)

  test('O4.3, O4.3d: with a new backup, the check of the next version is ready and changes nothing', async () => {
    const source = await instances.createFilled(LATCHKEY_SOURCE)
    await saveBackups(source, { at: nowSeconds() - 4000, place: '/backups/all.tar' })
    const { code, out, err } = await source.workspace.run(CHECK, later)
    expect([code, err]).toEqual([0, ''])
    for (const service of ['links', 'rooms']) {
      expect(out).toMatch(new RegExp(`^ok    ${service}  migration   9999-next: Changes nothing$`, 'm'))
      expect(out).toMatch(
        new RegExp(`^ok    ${service}  time        \\d+\\.\\d s on a copy of this database, now$`, 'm'),
      )
      expect(out).toMatch(
        new RegExp(`^ok    ${service}  backup      verified an hour ago, /backups/all\\.tar$`, 'm'),
      )
    }
    const same = await source.workspace.run(CHECK)
    for (const service of ['links', 'rooms'])
      expect(same.out).toMatch(
        new RegExp(`^ok    ${service}  migrations  none: this version changes no table$`, 'm'),
      )
  }, 60_000)

  test('O4.3a, O4.3b: the migrations since an early version of Rooms are named and timed', async () => {
    const source = await instances.createEmpty(LATCHKEY_SOURCE)
    const database = openDatabase<unknown>(source.rooms)
    const early = Object.entries(migrations).filter(([name]) => name < '0004')
    await migrate(database, Object.fromEntries(early))
    const { code, out, err } = await source.workspace.run(CHECK)
    expect([code, err]).toEqual([2, ''])
    expect(out).toMatch(/^ok    links  database    none yet/m)
    expect([...out.matchAll(/rooms  migration   (\S+): [A-Z]/g)].map(([, name]) => name)).toEqual(
      Object.keys(migrations).filter((name) => name >= '0004'),
    )
    expect(out).toMatch(/^ok    rooms  time        \d/m)
    const { rows } = await sql<{ name: string }>`select name from migration order by name`.execute(
      database.read,
    )
    expect(rows.map(({ name }) => name)).toEqual(early.map(([name]) => name))
    await database.close()
  }, 60_000)

  test('O4.3e: new, renamed and dropped settings are named once a version has stored which it knows', async () => {
    const source = await instances.createFilled(LATCHKEY_SOURCE)
    const linesOf = async (options = {}) => {
      const { out } = await source.workspace.run(CHECK, options)
      return [...out.matchAll(/^(ok|warn) +(links|rooms)  settings? +(.*)$/gm)].map(([, ...words]) =>
        words.join(' '),
      )
    }
    const unknown = 'what changed is unknown: the version that runs has stored no list'
    for (const service of ['links', 'rooms'])
      expect(await linesOf(later)).toContain(`ok ${service} ${unknown}`)

    await startOnce(source)
    const none = `none is new, renamed or dropped since ${VERSION}`
    expect(await linesOf()).toEqual([
      'ok links all settings are valid',
      `ok links ${none}`,
      'ok rooms all settings are valid',
      `ok rooms ${none}`,
    ])
    const set = { LINKS_RATE_LIMIT: 'off' }
    expect(await linesOf({ env: { ...later.env, ...set } })).toEqual([
      'warn links LINKS_RATE_LIMIT is ignored: it is now called LINKS_REQUESTS',
      'ok links all settings are valid',
      `ok links LINKS_CLICK_DAYS is new: ${linksDeclarations.retentionDays.sentence}`,
      'ok links LINKS_RATE_LIMIT is now called LINKS_REQUESTS',
      'ok links LINKS_RETENTION_DAYS no longer exists',
      'ok rooms all settings are valid',
      `ok rooms ${none}`,
    ])
  }, 60_000)

  test('O4.3d: a backup that is missing or older than a day is left to a person', async () => {
    const source = await instances.createFilled(LATCHKEY_SOURCE)
    const missing = await source.workspace.run(CHECK)
    expect([missing.code, missing.out]).toEqual([
      2,
      expect.stringMatching(/^warn  links  backup      none is known/m),
    ])
    await saveBackups(source, { at: nowSeconds() - 90_000, place: 'all.tar' })
    const old = await source.workspace.run(CHECK)
    expect(old.code).toBe(2)
    for (const service of ['links', 'rooms'])
      expect(old.out).toMatch(
        new RegExp(`^warn  ${service}  backup      verified 25 hours ago, all\\.tar: run`, 'm'),
      )
  }, 60_000)

  test('O4.3c, O4.3d: settings without effect are left to a person; wrong ones and newer databases are errors', async () => {
    const source = await instances.createFilled(LATCHKEY_SOURCE)
    await saveBackups(source, { at: nowSeconds(), place: 'all.tar' })
    const unknown = await source.workspace.run(CHECK, { env: { LINKS_COLOUR: 'red' } })
    expect([unknown.code, unknown.out]).toEqual([
      2,
      expect.stringMatching(/^warn  links  settings    .*LINKS_COLOUR/m),
    ])
    const wrong = await source.workspace.run(CHECK, { env: { LINKS_ACCESS: 'open' } })
    expect([wrong.code, wrong.out]).toEqual([
      1,
      expect.stringMatching(/^fail  links  settings    LINKS_ACCESS must/m),
    ])
    expect(wrong.out).toMatch(/^ok    rooms  backup/m)
    const database = openDatabase<unknown>(source.links)
    await database.write(async (tx) =>
      sql`insert into migration (name, applied_at) values ('9999-next', '')`.execute(tx),
    )
    await database.close()
    const newer = await source.workspace.run(CHECK)
    expect([newer.code, newer.out]).toEqual([
      1,
      expect.stringMatching(/^fail  links  migrations  .*newer version.*9999-next/m),
    ])
    const away = { LINKS_DATABASE_URL: 'postgres://links:hunter2@127.0.0.1:1/links' }
    const unreachable = await source.workspace.run(CHECK, { env: away })
    expect(unreachable.code).toBe(1)
    expect(unreachable.out).toMatch(/^fail  links  database    .*ECONNREFUSED.*: check LINKS_DATABASE_URL$/m)
    expect(unreachable.out).not.toContain('hunter2')
  }, 60_000)
})
