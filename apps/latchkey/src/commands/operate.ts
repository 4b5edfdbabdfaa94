import { parseArgs } from 'node:util'
import { dialectOf } from '@latchkey/database/url'
import { backUp } from '@latchkey/links/backup/backup'
import { examine } from '@latchkey/links/doctor/doctor'
import { type Command, CommandFailure, requirePositionals } from '../command.ts'
import { plain, say } from '../output.ts'
import { currentSettings, withDatabase } from '../surroundings.ts'

const backup: Command = {
  words: ['backup'],
  takes: 'FILE',
  summary: 'Copy the SQLite database of a running service, and verify the copy',
  details: `The copy holds the clicks that wait in the journal too. A file that exists is never replaced.
To restore, stop the service and put the copy where LINKS_DATABASE_URL points; leave no -wal and -shm file beside it.`,
  async run(args) {
    const { positionals } = parseArgs({ args, options: {}, allowPositionals: true })
    const [file = ''] = requirePositionals(positionals, ['FILE'])
    const settings = currentSettings()
    if (dialectOf(settings.databaseUrl) === 'postgres')
      throw new CommandFailure('The database is PostgreSQL: back it up with pg_dump')
    await withDatabase(settings, async () => {})
    const { bytes, rows } = await backUp(settings, file)
    const counts = ['link', 'slug', 'click'].map((table) => `${rows.get(table) ?? 0} ${table}s`)
    say(`Backed up and verified: ${counts.join(', ')}, ${bytes} bytes in ${file}`)
    return 0
  },
}

const doctor: Command = {
  words: ['doctor'],
  takes: '',
  summary: 'Check settings, database, migrations, disk, clock, access and public address',
  details: 'Prints one line for each; the exit code is 1 when one of them fails.',
  async run(args) {
    parseArgs({ args, options: {} })
    let failed = false
    for await (const { level, name, sentence } of examine(process.env)) {
      failed ||= level === 'fail'
      say(`${level.padEnd(4)}  ${name.padEnd(10)}  ${plain(sentence)}`)
    }
    return failed ? 1 : 0
  },
}

export const operateCommands: readonly Command[] = [backup, doctor]
