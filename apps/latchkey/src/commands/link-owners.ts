import { parseArgs } from 'node:util'
import { Failure } from '@latchkey/http/failure'
import { recordChanges } from '@latchkey/links/record-changes'
import { OPERATOR } from '@latchkey/links/changes/source'
import { transferAll } from '@latchkey/links/ownership/store'
import { type Command, CommandFailure, UsageError, requireAll, requireIdentity } from '../command.ts'
import { currentSettings, nowSeconds, requireLinks, withDatabase } from '../environment.ts'
import { plain, printLine } from '../output.ts'

export const transferOwnershipCommand: Command = {
  words: ['links', 'transfer'],
  services: ['links'],
  synopsis: '--from A --to B [--confirm]',
  summary: 'Make one person the owner of all links and bundles of another',
  details: `For people who leave. API keys of A stay valid until you revoke them.
--confirm  B has created nothing on this instance yet. Without it, an unknown name is refused.
If the command is interrupted, run it again: it continues with the rest.`,
  async run(args) {
    const { values } = parseArgs({
      args,
      options: { from: { type: 'string' }, to: { type: 'string' }, confirm: { type: 'boolean' } },
    })
    const { confirm = false, ...names } = values
    const { from, to } = requireAll(names, ['from', 'to'])
    requireIdentity('to', to)
    if (from === to) throw new UsageError('--from and --to are the same person')
    const settings = currentSettings()
    await requireLinks(settings)
    const { links, bundles } = await withDatabase(settings, (database) => {
      const now = nowSeconds()
      const recorded = recordChanges(database, { identity: OPERATOR, via: 'cli', now })
      return transferAll(recorded, { from, to, confirm, now })
    }).catch((error: unknown) => {
      const isUnknown = error instanceof Failure && error.code === 'owner_unknown'
      throw isUnknown
        ? new CommandFailure(`${plain(to)} has created nothing here. If the name is right, add --confirm`)
        : error
    })
    if (links + bundles === 0) throw new CommandFailure(`${plain(from)} owns no links and no bundles`)
    printLine(`${plain(to)} owns ${links} more links and ${bundles} more bundles`)
    return 0
  },
}
