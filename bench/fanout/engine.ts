import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownSchema } from './schema.ts'

/** A separate database. */
interface Engine {
  name: string
  url: string
  drop(): Promise<void>
}

/** Undefined without a server for it. */
export async function engine(name: string): Promise<Engine | undefined> {
  if (name === 'postgres') {
    const schema = await ownSchema()
    return schema && { name, ...schema }
  }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-fanout-'))
  const drop = async () => rmSync(folder, { recursive: true, force: true })
  return { name, url: `sqlite:${join(folder, 'rooms.db')}`, drop }
}
