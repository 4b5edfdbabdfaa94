import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, openReader } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import type { Tables as LinksTables } from '@latchkey/links/db/tables'
import type { Tables } from '@latchkey/rooms/db/tables'
import { LATCHKEY_SOURCE } from '../../../../scripts/latchkey-command.ts'
import type { Service } from '../running.ts'
import { type Instance, exportsOf, instancesOn } from './services.ts'

/** Clicks a short URL until it is stopped. */
function clickSteadily(service: Service) {
  let isOver = false
  const clicking = (async () => {
    for (let clicks = 0; ; clicks++) {
      if (isOver) return clicks
      await fetch(`${service.origin}/one`, { redirect: 'manual' })
    }
  })()
  return {
    async stop() {
      isOver = true
      return clicking
    },
  }
}

async function clicksOf({ workspace }: Instance): Promise<number> {
  const { out } = await workspace.run(['links', 'export'])
  const links = out.trimEnd().split('\n')
  return links.reduce((sum, line) => sum + (JSON.parse(line) as { total_clicks: number }).total_clicks, 0)
}

eachDialect((dialect, newUrl) => {
  const instances = instancesOn(newUrl)

  test('O4.4a, O4.4c: a backup beside a service under load, restored elsewhere, is that service at one moment', async () => {
    const source = await instances.createFilled()
    const service = await source.workspace.start(['links'], /"listening"/)
    const clicking = clickSteadily(service)
    const { code, out, err } = await source.workspace.run(['backup', 'all.tar'])
    const clicks = await clicking.stop()
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(
      /^Backed up and verified: Links \(2 links, 4 slugs, \d+ clicks\), Rooms \(3 users, 3 rooms, 3 messages, 2 files\), \d+ bytes in all\.tar\n$/,
    )
    expect(statSync(source.workspace.path('all.tar')).mode & 0o777).toBe(0o600)
    expect(readdirSync(source.workspace.folder).filter((name) => name.startsWith('all'))).toEqual(['all.tar'])
    expect(await service.stop()).toBe(0)

    const target = await instances.createEmpty()
    const restored = await target.workspace.run(['restore', source.workspace.path('all.tar')])
    expect([restored.code, restored.err]).toEqual([0, ''])
    expect(restored.out).toContain('Rooms: 3 users, 3 rooms, 3 messages, 2 files, 2 sessions ended\n')
    const counted = await clicksOf(target)
    expect(counted).toBe(Number(/(\d+) clicks/.exec(out)?.[1]))
    expect(counted).toBeLessThanOrEqual(clicks)
    const doctor = await target.workspace.run(['doctor'])
    expect([doctor.code, doctor.out]).toEqual([0, expect.not.stringContaining('fail')])
    for (const name of ['links', 'rooms'])
      expect(doctor.out).toMatch(new RegExp(`^ok    ${name}  backup      verified on .*/all\\.tar$`, 'm'))

    // The last clicks were counted after the backup: the next one has them.
    expect((await source.workspace.run(['backup', 'next.tar'])).code).toBe(0)
    const next = await instances.createEmpty()
    expect((await next.workspace.run(['restore', source.workspace.path('next.tar')])).code).toBe(0)
    await endSessions(source)
    await forgetRestore(next)
    // With the time and place of the last backup.
    expect(await exportsOf(next)).toEqual(await exportsOf(source))
    const database = openDatabase<Tables>(next.rooms)
    const open = await database.read
      .selectFrom('sessions')
      .select('id')
      .where('revoked_at', 'is', null)
      .execute()
    const states = await database.read.selectFrom('login_states').selectAll().execute()
    expect([open, states]).toEqual([[], []])
    await database.close()
    const creating = ['keys', 'create', '--identity', 'a', '--scope', 'read', '--title', 'N']
    const key = await next.workspace.run(creating)
    expect([key.code, key.err]).toEqual([0, ''])
  }, 60_000)

  test('O4.4d: an archive of an earlier version is migrated, and one of a later version is refused', async () => {
    const source = await instances.createFilled()
    expect((await source.workspace.run(['backup', 'all.tar'])).code).toBe(0)
    const archive = source.workspace.path('all.tar')
    const target = await instances.createEmpty(LATCHKEY_SOURCE)
    const later = { env: { BUN_OPTIONS: `--preload=${join(import.meta.dir, '../next-version.ts')}` } }
    const restored = await target.workspace.run(['restore', archive], later)
    expect([restored.code, restored.err]).toEqual([0, ''])
    expect((await target.workspace.run(['backup', 'later.tar'], later)).code).toBe(0)
    const refused = await target.workspace.run(['restore', 'later.tar', '--replace'])
    expect([refused.code, refused.out, refused.err]).toEqual([
      1,
      '',
      expect.stringMatching(
        /^The backup was made by Latchkey .*, whose Links this version does not know \(9999-next\)/,
      ),
    ])
    const service = await target.workspace.start(['links'], /"listening"/, later.env)
    const inUse = await target.workspace.run(['restore', archive, '--replace'], later)
    expect([inUse.code, inUse.out, inUse.err]).toEqual([
      1,
      '',
      'Links runs on the database in LINKS_DATABASE_URL: stop it on every node first\n',
    ])
    expect(await service.stop()).toBe(0)
    expect((await target.workspace.run(['links', 'export'], later)).out).toContain('"https://example.com"')
  }, 60_000)

  // SQLite replaces a file: restore.test.ts kills that.
  if (dialect === 'sqlite') return
  test('O4.4f: a restore that is killed leaves an empty database empty, or has restored all of it', async () => {
    const source = await instances.createFilled()
    expect((await source.workspace.run(['backup', 'all.tar'])).code).toBe(0)
    const archive = source.workspace.path('all.tar')
    const target = await instances.createEmpty()
    for (const delayMs of [400, 700, 1_000]) {
      const child = target.workspace.spawn(['restore', archive, '--replace'])
      await Bun.sleep(delayMs)
      child.kill('SIGKILL')
      await child.exited
      expect([undefined, 2]).toContain(await countLinks(target))
    }
    expect((await target.workspace.run(['restore', archive, '--replace'])).code).toBe(0)
    expect((await target.workspace.run(['links', 'export'])).out.trimEnd().split('\n')).toHaveLength(2)
  }, 60_000)
})

/** Undefined without tables. */
async function countLinks({ links }: Instance): Promise<number | undefined> {
  const reader = openReader<LinksTables>(links)
  try {
    const rows = await reader.read
      .selectFrom('link')
      .select('id')
      .execute()
      .catch(() => undefined)
    return rows?.length
  } finally {
    await reader.close()
  }
}

/** Does to the source what a restore does to the copy. */
async function endSessions({ rooms }: Instance): Promise<void> {
  const database = openDatabase<Tables>(rooms)
  await database.write(async (tx) => {
    await tx
      .updateTable('sessions')
      .set((eb) => ({ revoked_at: eb.ref('last_seen_at'), revoke_reason: 'revoked', id_token_sealed: null }))
      .where('revoked_at', 'is', null)
      .execute()
  })
  await database.close()
}

/** Removes from the copy that it was restored. */
async function forgetRestore({ rooms }: Instance): Promise<void> {
  const database = openDatabase<Tables>(rooms)
  await database.write((tx) => tx.deleteFrom('platform_state').where('key', '=', 'access-restored').execute())
  await database.close()
}
