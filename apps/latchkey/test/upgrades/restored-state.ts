import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DialectName } from '@latchkey/database/url'
import type { NewUrl } from '@latchkey/database/testing'
import { Client } from 'pg'
import { STATE } from '../../../../scripts/release/version-state.ts'

/** A service as an earlier version left it. */
export interface RestoredState {
  readonly url: string
  /** The folder with its journal or files. */
  readonly folder: string
  /** The export of the earlier version. */
  readonly exported: string
}

/** Unpacks an archive of `keepState` to a new folder, and its database to where it runs. */
export async function restoreState(
  archive: string,
  dialect: DialectName,
  { parent, newUrl }: { parent: string; newUrl: NewUrl },
): Promise<RestoredState> {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'state-'))
  const unpacked = Bun.spawnSync(['tar', '-xzf', archive, '--no-same-owner', '-C', folder])
  if (!unpacked.success) throw new Error(unpacked.stderr.toString())
  const exported = readFileSync(join(folder, STATE.export), 'utf8')
  if (dialect === 'sqlite') return { url: `sqlite:${join(folder, STATE.sqlite)}`, folder, exported }
  const url = await newUrl('empty')
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(readFileSync(join(folder, STATE.postgres), 'utf8'))
  await client.end()
  return { url, folder, exported }
}
