import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Transaction } from 'kysely'
import type { Database } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import type { AuditOrigin } from '@latchkey/rooms/audit/store'
import type { Tables, UserRow } from '@latchkey/rooms/db/tables'
import { grantPlatformAdmin, revokePlatformAdmin } from '@latchkey/rooms/grants/operations'
import { explainClaims, readClaimsText } from '@latchkey/rooms/login/explain-claims'
import { findUserByReference } from '@latchkey/rooms/users/store'
import { formatClaimsExplanation } from '../claims-explanation.ts'
import { type Command, CommandFailure, requireAll, requirePositionals } from '../command.ts'
import { plain, printLine } from '../output.ts'
import { currentRoomsSettings, requireRooms, roomsStorage, withRoomsDatabase } from '../environment.ts'

const WHO = '--user ID'
const DETAILS = `ID is the id on the admin page, or ISSUER|SUBJECT of a user who has signed in once. The service need not run.
The change ends all sessions of the user and is recorded in the audit log.`

const grant: Command = {
  words: ['rooms', 'admin', 'grant'],
  services: ['rooms'],
  synopsis: WHO,
  summary: 'Make a user an administrator of Rooms',
  details: DETAILS,
  run: (args) =>
    change(args, async (tx, user, origin) => {
      const changed = await grantPlatformAdmin(tx, {
        userId: user.id,
        source: 'manual',
        grantedBy: null,
        origin,
      })
      return changed ? 'is now an administrator' : 'already has a manual administrator grant'
    }),
}

const revoke: Command = {
  words: ['rooms', 'admin', 'revoke'],
  services: ['rooms'],
  synopsis: WHO,
  summary: "Revoke a user's administrator role; the last administrator keeps it",
  details: DETAILS,
  run: (args) =>
    change(args, async (tx, user, origin, dialect) => {
      const { changed, remaining } = await revokePlatformAdmin(tx, {
        dialect,
        userId: user.id,
        revokedBy: null,
        origin,
      })
      if (remaining.length > 0)
        return 'remains an administrator: the identity provider grants the role at every login'
      return changed ? 'is no longer an administrator' : 'was not an administrator'
    }),
}

type Change = (
  tx: Transaction<Tables>,
  user: UserRow,
  origin: AuditOrigin,
  dialect: Database<Tables>['dialect'],
) => Promise<string>

async function change(args: string[], work: Change): Promise<number> {
  const { values } = parseArgs({ args, options: { user: { type: 'string' } } })
  const { user: reference } = requireAll(values, ['user'])
  const origin = { clientIp: null, requestId: null, nowMs: Date.now() }
  const settings = roomsStorage()
  await requireRooms(settings)
  return withRoomsDatabase(settings, async (database) => {
    const user = await findUserByReference(database.read, reference)
    if (!user) throw new CommandFailure('No user with this id has signed in')
    const outcome = await database
      .write((tx) => work(tx, user, origin, database.dialect))
      .catch((error: unknown) => {
        throw error instanceof Failure ? new CommandFailure(error.message) : error
      })
    printLine(`${plain(user.nickname)} (${user.id}) ${outcome}`)
    return 0
  })
}

const explainClaimsCommand: Command = {
  words: ['rooms', 'explain-claims'],
  services: ['rooms'],
  synopsis: 'FILE [--json]',
  summary: 'Explain what a login with these claims would do (- reads stdin)',
  details: `FILE holds claims as a JSON object, or an ID token, whose signature is not checked. It may have 64 KiB.
Uses the settings of this environment, asks no provider, and stores nothing.
--json  the answer of the API, on one line
The exit code is 0 if the person may sign in, else 1.`,
  async run(args) {
    const options = { json: { type: 'boolean', default: false } } as const
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const [path = ''] = requirePositionals(positionals, ['FILE'])
    const { provider, limits } = currentRoomsSettings()
    const read = readClaimsText(await readShortFile(path, limits.body_bytes))
    if ('fault' in read) throw new CommandFailure(`The file ${read.fault}`)
    const explanation = explainClaims(read.claims, provider)
    if (values.json) printLine(JSON.stringify({ isToken: read.isToken, ...explanation }))
    else {
      if (read.isToken) printLine('The signature of the token was not checked.')
      printLine(formatClaimsExplanation(explanation))
    }
    return explanation.maySignIn ? 0 : 1
  },
}

/** Throws `CommandFailure` for a longer file, of which no more is read. */
async function readShortFile(path: string, maxBytes: number): Promise<string> {
  const source = path === '-' ? process.stdin : createReadStream(path, { end: maxBytes })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > maxBytes) throw new CommandFailure(`The file has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export const roomsCommands: readonly Command[] = [grant, revoke, explainClaimsCommand]
