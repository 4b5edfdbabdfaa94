import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'bun:test'
import type { Finding } from './finding.ts'

const root = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
afterAll(() => rmSync(root, { recursive: true }))

const UNPRIVILEGED_UID = 65_534

/** The findings of an unprivileged user. Root may write everything. */
async function findingsOf(paths: readonly string[]): Promise<Finding[]> {
  const program = `
    import { checkDisk } from ${JSON.stringify(join(import.meta.dir, 'disk.ts'))}
    if (process.getuid() === 0) process.setuid(${UNPRIVILEGED_UID})
    console.log(JSON.stringify(await checkDisk(${JSON.stringify(paths)}, 'clicks will be lost')))`
  const child = Bun.spawn([process.execPath, '-e', program], { stderr: 'inherit' })
  return JSON.parse(await new Response(child.stdout).text()) as Finding[]
}

test('each file that this user cannot write to is named, and the folder only if it is itself unwritable', async () => {
  chmodSync(root, 0o755)
  const folder = join(root, 'data')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  const [links, journal, rooms] = ['links.db', 'journal.db', 'rooms.db'].map((name) => join(folder, name))
  for (const file of [links, `${links}-wal`, journal, `${journal}-shm`]) {
    writeFileSync(file ?? '', '')
    chmodSync(file ?? '', 0o666)
  }
  const paths = [links ?? '', journal ?? '', rooms ?? '']
  expect((await findingsOf(paths)).map(({ level }) => level)).not.toContain('fail')

  for (const file of [`${links}-wal`, journal ?? '']) chmodSync(file, 0o444)
  const failed = (await findingsOf(paths))
    .filter(({ level }) => level === 'fail')
    .map(({ sentence }) => sentence)
  expect(failed).toEqual(
    [`${links}-wal`, journal].map(
      (file) => `${file} is not writable by this user: change its owner or the path in the settings`,
    ),
  )

  for (const file of [`${links}-wal`, journal ?? '']) chmodSync(file, 0o666)
  chmodSync(folder, 0o555)
  expect((await findingsOf(paths)).map(({ sentence }) => sentence)).toEqual([
    `${folder} is not writable by this user: change its owner or the path in the settings`,
  ])
})
