import { parseArgs } from 'node:util'
import { literalTexts } from '@latchkey/links/api/failures'
import { NewApiKey } from '@latchkey/links/keys/schema'
import { deleteKey, insertKey, listKeys } from '@latchkey/links/keys/store'
import type { Settings } from '@latchkey/links/settings/settings'
import {
  type Command,
  CommandFailure,
  UsageError,
  requireAll,
  requireIdentity,
  requirePositionals,
} from '../command.ts'
import { printError, plain, printLine, table, write } from '../output.ts'
import { currentSettings, nowSeconds, requireLinks, withDatabase } from '../environment.ts'

const create: Command = {
  words: ['keys', 'create'],
  services: ['links'],
  synopsis: '--identity E --scope create,read --title T',
  summary: 'Create an API key and print it once',
  details: `The key acts as the identity E, usually an email address. E owns everything that the key creates.
The scope is create, read or create,read.`,
  async run(args) {
    const { values } = parseArgs({
      args,
      options: { identity: { type: 'string' }, scope: { type: 'string' }, title: { type: 'string' } },
    })
    const { identity, ...wanted } = requireAll(values, ['identity', 'scope', 'title'])
    requireIdentity('identity', identity)
    const parsed = NewApiKey.safeParse(wanted)
    if (!parsed.success) throw new UsageError(problemOf(parsed.error))
    await withDatabase(currentSettings(), async (database) => {
      const { key, rawKey } = await database.write((tx) =>
        insertKey(tx, { ...parsed.data, identity, now: nowSeconds() }),
      )
      try {
        await write(`${rawKey}\n`)
      } catch (error) {
        // The raw key was not printed, so the key can never be used.
        await database.write((tx) => deleteKey(tx, key.id))
        throw error
      }
    })
    return 0
  },
}

const list: Command = {
  words: ['keys', 'list'],
  services: ['links'],
  synopsis: '',
  summary: 'List all API keys, newest first',
  async run(args) {
    parseArgs({ args, options: {} })
    const keys = await withDatabase(await requireSettings(), ({ read }) => listKeys(read))
    if (keys.length === 0) printError('There are no API keys yet: create one with latchkey keys create')
    const rows = keys.map((key) =>
      [
        String(key.id),
        key.key_prefix,
        key.scope,
        key.identity,
        momentOf(key.created_at),
        key.last_used_at === null ? 'never' : momentOf(key.last_used_at),
        key.title,
      ].map(plain),
    )
    printLine(table([['ID', 'PREFIX', 'SCOPE', 'IDENTITY', 'CREATED', 'LAST USED', 'TITLE'], ...rows]))
    return 0
  },
}

/** Requires an existing database: a new one has no keys, which would hide a wrong setting. */
async function requireSettings(): Promise<Settings> {
  const settings = currentSettings()
  await requireLinks(settings)
  return settings
}

/** The first problem. The option is prepended unless the message names its subject. */
function problemOf({ issues }: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  const [{ path, message } = { path: ['key'], message: 'cannot be created' }] = issues
  return literalTexts.has(message) ? message : `--${path.join('.')} ${message}`
}

function momentOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}

const revoke: Command = {
  words: ['keys', 'revoke'],
  services: ['links'],
  synopsis: 'ID',
  summary: 'Revoke an API key; its next request fails',
  async run(args) {
    const { positionals } = parseArgs({ args, options: {}, allowPositionals: true })
    const [id = ''] = requirePositionals(positionals, ['ID'])
    if (!/^\d{1,15}$/.test(id))
      throw new UsageError('ID is the number in the first column of latchkey keys list')
    const revoked = await withDatabase(await requireSettings(), (database) =>
      database.write((tx) => deleteKey(tx, Number(id))),
    )
    if (!revoked) throw new CommandFailure(`There is no key ${id}: see latchkey keys list`)
    printLine(`Revoked key ${id}`)
    return 0
  },
}

export const keyCommands: readonly Command[] = [create, list, revoke]
