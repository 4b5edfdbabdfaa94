import { parseArgs } from 'node:util'
import type { Database } from '@latchkey/database/database'
import { OPERATOR } from '@latchkey/links/changes/source'
import type { Tables } from '@latchkey/links/db/tables'
import { Sites } from '@latchkey/links/domains/sites'
import { findLegacyPathPage } from '@latchkey/links/links/legacy/store'
import { LegacyPathRefused, addLegacyPath, deleteLegacyPath } from '@latchkey/links/links/legacy/write'
import { recordChanges } from '@latchkey/links/record-changes'
import type { Settings } from '@latchkey/links/settings/settings'
import { type Command, CommandFailure, requirePositionals } from '../command.ts'
import { parseDomain } from '../domain-option.ts'
import { currentSettings, nowSeconds, requireLinks, withDatabase } from '../environment.ts'
import { plain, printError, printLine, write } from '../output.ts'
import { asCommandFailure } from './link-source.ts'

const DOMAIN = { domain: { type: 'string' } } as const
const DOMAIN_HELP = '--domain HOST    one of LINKS_DOMAINS; the default domain without it'

const add: Command = {
  words: ['legacy', 'add'],
  synopsis: 'PATH SLUG [--domain HOST]',
  summary: 'Let the link of a slug answer a path of another service',
  details: `For paths that cannot be slugs: PATH is exact, with its case and slashes, such as 2BG or news/May.
Imports add those of the services that they read; docs/moving-in says which.
${DOMAIN_HELP}`,
  async run(args) {
    const { positionals, values } = parseArgs({ args, options: DOMAIN, allowPositionals: true })
    const [path = '', slug = ''] = requirePositionals(positionals, ['PATH', 'SLUG'])
    await change(values.domain, (context, domain) => addLegacyPath(context, { domain, path, slug }))
    printLine(`${plain(displayPath(path))} leads where ${plain(slug)} does`)
    return 0
  },
}

const remove: Command = {
  words: ['legacy', 'remove'],
  synopsis: 'PATH [--domain HOST]',
  summary: 'Remove a path that latchkey legacy list shows',
  details: DOMAIN_HELP,
  async run(args) {
    const { positionals, values } = parseArgs({ args, options: DOMAIN, allowPositionals: true })
    const [path = ''] = requirePositionals(positionals, ['PATH'])
    await change(values.domain, (context, domain) => deleteLegacyPath(context, { domain, path }))
    printLine(`Removed ${plain(displayPath(path))}`)
    return 0
  },
}

type Change = (context: Parameters<typeof addLegacyPath>[0], domain: string | null) => Promise<void>

async function change(host: string | undefined, apply: Change): Promise<void> {
  const settings = currentSettings()
  const domain = parseDomain(host, settings)
  await requireLinks(settings)
  await withDatabase(settings, async (database) => apply(await contextOf(database, settings), domain)).catch(
    (error: unknown) => {
      throw error instanceof LegacyPathRefused
        ? new CommandFailure(plain(error.message))
        : asCommandFailure(error)
    },
  )
}

async function contextOf(database: Database<Tables>, settings: Settings) {
  const now = nowSeconds()
  const sites = new Sites(settings, database)
  await sites.refresh()
  return {
    database: recordChanges(database, { identity: OPERATOR, via: 'cli', now }),
    origin: settings.baseUrl ?? `http://${settings.host}:${settings.port}`,
    sites,
    now,
  }
}

const ROWS_PER_PAGE = 500

const list: Command = {
  words: ['legacy', 'list'],
  synopsis: '[--json]',
  summary: 'List the paths of other services that links answer as well',
  details: '--json           one path as JSON on each line',
  async run(args) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
    const settings = currentSettings()
    await requireLinks(settings)
    const count = await withDatabase(settings, (database) => printAll(database, values.json))
    if (count === 0) printError('There are no legacy paths: imports and latchkey legacy add create them')
    return 0
  },
}

/** Prints all legacy paths, in pages, and returns their number. */
async function printAll({ read }: Database<Tables>, isJson: boolean): Promise<number> {
  for (let after: string | undefined, count = 0; ;) {
    const { rows } = await findLegacyPathPage(read, {}, { after, limit: ROWS_PER_PAGE })
    const lines = rows.map(({ domain, ...row }) =>
      isJson
        ? JSON.stringify({ ...row, ...(domain !== '' && { domain }) })
        : plain(`${domain}/${row.path}  link ${row.link_id}  ${row.source}`),
    )
    if (lines.length > 0) await write(`${lines.join('\n')}\n`)
    count += rows.length
    const last = rows.at(-1)
    if (rows.length < ROWS_PER_PAGE || !last) return count
    after = `${last.domain}/${last.path}`
  }
}

function displayPath(path: string): string {
  return `/${path.replace(/^\//, '')}`
}

export const legacyCommands: readonly Command[] = [add, remove, list]
