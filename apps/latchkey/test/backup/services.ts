import { afterAll } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import type { NewUrl } from '@latchkey/database/testing'
import { migrations } from '@latchkey/rooms/db/migrations'
import type { Tables } from '@latchkey/rooms/db/tables'
import { LATCHKEY } from '../../../../scripts/latchkey-command.ts'
import { fileContents, fill } from '../../../rooms/test/transfer/every-row.ts'
import { Workspace } from '../running.ts'

/** An instance of both services, each on a database of one engine. */
export interface Instance {
  readonly workspace: Workspace
  readonly links: string
  readonly rooms: string
}

/** Creates instances for a suite, and removes them after it. */
export function instancesOn(newUrl: NewUrl, env: Readonly<Record<string, string>> = {}) {
  const workspaces: Workspace[] = []
  afterAll(() => {
    for (const workspace of workspaces) workspace.remove()
  })
  /** An instance without data. */
  const createEmpty = async (command = LATCHKEY): Promise<Instance> => {
    const [links, rooms] = [await newUrl('empty'), await newUrl('empty')]
    const settings = {
      LINKS_DATABASE_URL: links,
      ROOMS_DATABASE_URL: rooms,
      // The default of a demo is another folder.
      ROOMS_FILES: './data/files',
      ...env,
    }
    const workspace = new Workspace(settings, command)
    workspaces.push(workspace)
    return { workspace, links, rooms }
  }
  /** An instance with two links, a key, and a row of each table of Rooms. */
  const createFilled = async (command = LATCHKEY): Promise<Instance> => {
    const instance = await createEmpty(command)
    await fillInstance(instance)
    return instance
  }
  return { createEmpty, createFilled }
}

async function fillInstance({ workspace, rooms }: Instance): Promise<void> {
  const rows = { stdin: 'url,slug\nhttps://example.com/,one\nhttps://example.com/2,two\n' }
  await workspace.run(['links', 'import', '-', '--format', 'csv', '--owner', 'ada@example.com'], rows)
  await workspace.run(['keys', 'create', '--identity', 'ada', '--scope', 'read', '--title', 'Old'])
  const database = openDatabase<Tables>(rooms)
  await migrate(database, migrations)
  await fill(database)
  await database.close()
  await putContents(workspace)
}

/** Stores the contents of the files in the folder of ROOMS_FILES. */
export async function putContents(workspace: Workspace): Promise<void> {
  for (const [key, text] of Object.entries(fileContents)) {
    const path = contentPath(workspace, key)
    mkdirSync(dirname(path), { recursive: true })
    await Bun.write(path, text)
  }
}

export function contentPath(workspace: Workspace, key: string): string {
  return workspace.path(`data/files/${key.slice(0, 2)}/${key}`)
}

/** Everything that both exports of an instance contain, without the time of the export. */
export async function exportsOf({ workspace }: Instance): Promise<string[]> {
  const texts: string[] = []
  for (const words of [
    ['links', 'export', '--everything'],
    ['rooms', 'export'],
  ]) {
    const { code, out, err } = await workspace.run(words)
    if (code !== 0) throw new Error(err)
    texts.push(out.replaceAll(/"exported_at":\d+/g, ''))
  }
  return texts
}
