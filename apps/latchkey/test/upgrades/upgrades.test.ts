import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, openReader } from '@latchkey/database/database'
import { type Migration, migrate, pendingMigrations } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { migrations as linksMigrations } from '@latchkey/links/db/migrations'
import type { Tables as LinksTables } from '@latchkey/links/db/tables'
import { exportInstance } from '@latchkey/links/transfer/instance/export'
import { importInstance } from '@latchkey/links/transfer/instance/import'
import { migrations as roomsMigrations } from '@latchkey/rooms/db/migrations'
import type { Tables as RoomsTables } from '@latchkey/rooms/db/tables'
import { openStorage } from '@latchkey/rooms/files/storage/open'
import { exportRooms, importRooms } from '@latchkey/rooms/transfer/instance-archive'
import { sql } from 'kysely'
import {
  SESSION_TOKEN,
  type Service as ServiceName,
  keepState,
} from '../../../../scripts/release/version-state.ts'
import { API_KEY, REDIRECT } from '../../../links/test/transfer/every-row.ts'
import { type Service, Workspace } from '../running.ts'
import { changedBy, sorted, withEmpty } from './changes.ts'
import { readContents, readExport } from './contents.ts'
import { type RestoredState, restoreState } from './restored-state.ts'
import { readStructure } from './structure.ts'

const THIS_VERSION = 'this version'
const MAX_BYTES = 300_000

interface Tested {
  readonly migrations: Readonly<Record<string, Migration>>
  exportState(state: RestoredState): Promise<string>
  /** Imports the export of the earlier version into an empty database. */
  importState(state: RestoredState, url: string, folder: string): Promise<unknown>
}

const services: Readonly<Record<ServiceName, Tested>> = {
  links: {
    migrations: linksMigrations,
    async exportState({ url }) {
      const database = openDatabase<LinksTables>(url)
      let text = ''
      await exportInstance(database, 1, async (piece) => void (text += piece.text))
      await database.close()
      return text
    },
    importState: ({ exported }, databaseUrl) =>
      importInstance({ databaseUrl, source: new Blob([exported]).stream(), now: 1, dryRun: false }),
  },
  rooms: {
    migrations: roomsMigrations,
    async exportState({ url, folder }) {
      const database = openDatabase<RoomsTables>(url)
      const storage = openStorage({ folder: join(folder, 'files') })
      let text = ''
      await exportRooms({ database, storage }, 1, async (piece) => void (text += piece.text))
      await database.close()
      return text
    },
    importState: ({ exported }, databaseUrl, folder) =>
      importRooms({
        databaseUrl,
        storage: openStorage({ folder: join(folder, 'files') }),
        source: new Blob([exported]).stream(),
        dryRun: false,
      }),
  },
}

const temporary = mkdtempSync(join(tmpdir(), 'latchkey-upgrades-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const released = readdirSync(import.meta.dir, { withFileTypes: true }).filter((each) => each.isDirectory())

async function migrateAt(url: string, { migrations }: Tested): Promise<string[]> {
  const database = openDatabase<unknown>(url)
  const applied = await migrate(database, migrations)
  await database.close()
  return applied
}

eachDialect((dialect, newUrl) => {
  const archives = new Map<ServiceName, Promise<string>>()
  /** The archive of a version, or of this one, which a release would keep. */
  async function archiveOf(version: string, service: ServiceName): Promise<string> {
    if (version !== THIS_VERSION) return join(import.meta.dir, version, `${service}-${dialect}.tar.gz`)
    const archive = join(temporary, `${service}-${dialect}.tar.gz`)
    const keep = async () => keepState(service, await newUrl('empty'), archive).then(() => archive)
    const keeping = archives.get(service) ?? keep()
    archives.set(service, keeping)
    return keeping
  }
  const restore = async (version: string, service: ServiceName, parent = temporary) =>
    restoreState(await archiveOf(version, service), dialect, { parent, newUrl })

  for (const version of [...released.map(({ name }) => name), THIS_VERSION])
    describe(`from ${version}`, () => {
      for (const [name, tested] of Object.entries(services)) {
        const service = name as ServiceName
        test(`O4.1: a database of ${service} keeps every row and gets the tables of a new one`, async () => {
          const state = await restore(version, service)
          expect(Bun.file(await archiveOf(version, service)).size).toBeLessThan(MAX_BYTES)
          const before = await readContents(state.url)
          for (const [table, rows] of Object.entries(before)) expect([table, rows]).not.toEqual([table, []])

          const applied = await migrateAt(state.url, tested)
          const after = await readContents(state.url)
          const expected = withEmpty(changedBy(service, applied, before), after)
          expect(sorted(after)).toEqual(sorted(expected))

          const fresh = await newUrl('empty')
          await migrateAt(fresh, tested)
          expect(await readStructure(state.url)).toEqual(await readStructure(fresh))
        }, 60_000)

        test(`O4.1a: the export of ${service} is that of the earlier version, also after its import`, async () => {
          const state = await restore(version, service)
          const applied = await migrateAt(state.url, tested)
          const text = await tested.exportState(state)
          const [earlier, now] = [readExport(state.exported), readExport(text)]
          expect(now.contents).toEqual(withEmpty(changedBy(service, applied, earlier.contents), now.contents))
          expect(now.others).toEqual(earlier.others)

          const folder = mkdtempSync(join(temporary, 'import-'))
          const url = await newUrl('empty')
          await migrateAt(url, tested)
          await tested.importState(state, url, folder)
          expect(readExport(await tested.exportState({ ...state, url, folder }))).toEqual(now)
        }, 60_000)
      }

      if (version === THIS_VERSION) return
      test('O4.1b: its programs, its sessions and the clicks in its journal go on, and doctor finds nothing wrong', async () => {
        const workspace = new Workspace()
        let service: Service | undefined
        try {
          const [links, rooms] = [
            await restore(version, 'links', workspace.folder),
            await restore(version, 'rooms', workspace.folder),
          ]
          const env = {
            LINKS_DATABASE_URL: links.url,
            LINKS_JOURNAL: `sqlite:${join(links.folder, 'journal.db')}`,
            ROOMS_DATABASE_URL: rooms.url,
            ROOMS_FILES: join(rooms.folder, 'files'),
          }
          const check = await workspace.run(['upgrade', '--check'], { env })
          expect([check.code, check.err]).toEqual([2, ''])
          for (const [{ url }, name] of [
            [links, 'links'],
            [rooms, 'rooms'],
          ] as const)
            expect([...check.out.matchAll(new RegExp(`${name}  migration   (\\S+):`, 'g'))]).toHaveLength(
              await countPending(url, services[name]),
            )

          const before = await countClicks(links.url)
          service = await workspace.start(['start'], /First key/, env)
          const redirected = await fetch(`${service.originOf('links')}/${REDIRECT.slug}`, {
            redirect: 'manual',
          })
          expect(redirected.headers.get('location')).toBe(new URL(REDIRECT.url).href)
          const listed = await fetch(`${service.originOf('links')}/_/api/links`, {
            headers: { authorization: `Bearer ${API_KEY}` },
          })
          expect([listed.status, await listed.text()]).toEqual([200, expect.stringContaining(REDIRECT.slug)])
          const lobby = await fetch(`${service.originOf('rooms')}/api/rooms`, {
            headers: { cookie: `latchkey_session=${SESSION_TOKEN}` },
          })
          expect([lobby.status, await lobby.text()]).toEqual([200, expect.stringContaining('"id":"r"')])
          expect(await service.stop()).toBe(0)
          // One was in the journal.
          expect(await countClicks(links.url)).toBe(before + 2)

          const doctor = await workspace.run(['doctor'], { env })
          expect([doctor.code, doctor.out]).toEqual([0, expect.not.stringMatching(/^fail/m)])
          expect(doctor.out).toMatch(/^ok    rooms  migrations  up to date/m)
        } finally {
          await service?.kill()
          workspace.remove()
        }
      }, 60_000)
    })
})

async function countClicks(url: string): Promise<number> {
  const reader = openReader<unknown>(url)
  const { rows } = await sql<{ clicks: number }>`select clicks from counted_slug
    where slug = ${REDIRECT.slug}`.execute(reader.read)
  await reader.close()
  return rows[0]?.clicks ?? 0
}

async function countPending(url: string, { migrations }: Tested): Promise<number> {
  const reader = openReader<unknown>(url)
  const due = await pendingMigrations(reader, migrations)
  await reader.close()
  return due.length
}

test('O4.1c: the version of package.json has its archives, which are added before its release', async () => {
  const { version } = await import('../../../../package.json')
  for (const service of Object.keys(services))
    for (const engine of ['sqlite', 'postgres'])
      expect(existsSync(join(import.meta.dir, version, `${service}-${engine}.tar.gz`))).toBe(true)
})
