import { userInfo } from 'node:os'
import { BackupFailure } from '@latchkey/database/backup/copy-sqlite'
import { NewerDatabase } from '@latchkey/database/migrate'
import { ClickImportRefused } from '@latchkey/links/transfer/clicks'
import { DatabaseInUse } from '@latchkey/database/instance-lock'
import { InvalidArchive } from '@latchkey/database/archive/reader'
import { DatabaseNotEmpty } from '@latchkey/database/archive/restore'
import { LocalServerMissing } from '@latchkey/rooms/voice/livekit/local-server'
import { SettingsError } from '@latchkey/settings/settings'
import { UnusableDump } from '@latchkey/database/backup/load-postgres'
import { FileStorageUnavailable } from '@latchkey/rooms/files/storage/storage'
import { InvalidBackup } from './backup/tar.ts'
import { UnusableSocket } from '@latchkey/http/inherited-socket'
import { CommandFailure } from './command.ts'

const EXPECTED_ERRORS = [
  CommandFailure,
  SettingsError,
  NewerDatabase,
  BackupFailure,
  ClickImportRefused,
  DatabaseInUse,
  DatabaseNotEmpty,
  InvalidArchive,
  LocalServerMissing,
  InvalidBackup,
  UnusableDump,
  FileStorageUnavailable,
  UnusableSocket,
]

/** Control characters but for line ends and tabs. */
const CONTROL = /(?![\n\t])\p{Cc}/gu

/**
 * The text for the terminal: one sentence for an expected error, the stack for any other. It may quote
 * archives and answers of servers, which must not control the terminal.
 */
export function formatError(error: unknown): string {
  return describeError(error).replaceAll(CONTROL, '\uFFFD')
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `Unexpected error: ${String(error)}`
  if (EXPECTED_ERRORS.some((kind) => error instanceof kind)) return error.message
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'EPIPE') return 'The output pipe was closed early'
  return (
    formatFileError(code, error) ??
    formatSqliteError(code) ??
    formatPostgresError(code, error) ??
    `Unexpected error: ${error.stack ?? error.message}`
  )
}

const NOT_ACCESSIBLE = `is not accessible to the user ${userName()}: check its owner and permissions`

const FILE_PROBLEMS: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: NOT_ACCESSIBLE,
  EPERM: NOT_ACCESSIBLE,
  EROFS: 'is on a read-only file system',
  EEXIST: 'already exists',
  ENOTDIR: 'cannot be reached: part of the path is a file, not a folder',
  EISDIR: 'is a folder, not a file',
  ENOSPC: 'cannot be written: the disk is full',
}

/** The name of the user, or the number of one without a name, as in a container. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}

function formatFileError(code: string, error: Error): string | undefined {
  const problem = FILE_PROBLEMS[code]
  const syscall = 'syscall' in error ? error.syscall : undefined
  // The missing socket of a stopped PostgreSQL has the code of a missing file.
  if (problem === undefined || syscall === 'connect') return undefined
  const path = 'path' in error ? String(error.path) : code === 'ENOSPC' ? 'The output' : 'The given path'
  if (syscall === 'mkdir')
    return `The folder ${path} cannot be created (${code}): check ${URLS} and LINKS_JOURNAL`
  return `${path} ${problem}`
}

const URLS = 'LINKS_DATABASE_URL, ROOMS_DATABASE_URL'
const FOLDERS = `the folders of ${URLS} and LINKS_JOURNAL`

const SQLITE_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [
    /^SQLITE_READONLY_ROLLBACK/,
    'An import into this database was interrupted: run it again, or start the service to roll it back',
  ],
  [
    /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/,
    `A database file cannot be opened for writing: check that this user owns ${FOLDERS} and the files in them`,
  ],
  [/^SQLITE_FULL/, `The disk is full: free up space in ${FOLDERS}`],
  [/^SQLITE_IOERR/, `A database file cannot be read or written: check the disk that holds ${FOLDERS}`],
  [/^SQLITE_(BUSY|LOCKED)/, 'Another process holds a lock on the database: try again when it has finished'],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    `A database file is damaged or is not a database: check ${URLS}, or restore a backup`,
  ],
]

function formatSqliteError(code: string): string | undefined {
  return SQLITE_PROBLEMS.find(([pattern]) => pattern.test(code))?.[1]
}

const CHECK_URL = 'check LINKS_DATABASE_URL or ROOMS_DATABASE_URL'

/** Error codes of PostgreSQL (appendix A of its manual) and of the connection to it. */
const POSTGRES_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [
    /^(ENOENT|EACCES|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08...|57P0.)$/,
    `PostgreSQL does not answer: start it, or ${CHECK_URL}`,
  ],
  [/^28...$/, `PostgreSQL rejects the user name or password: ${CHECK_URL}`],
  [/^3D000$/, `PostgreSQL has no database with this name: create it, or ${CHECK_URL}`],
  [/^42501$/, 'The PostgreSQL user lacks a privilege: grant it the right to create tables in its schema'],
  [/^53...$/, 'PostgreSQL is out of connections, memory or disk'],
  [/^55P03$/, 'Another PostgreSQL session holds a required lock: try again when it has finished'],
  [/^25006$/, `This PostgreSQL server is a read-only standby: ${CHECK_URL}`],
]

function formatPostgresError(code: string, error: Error): string | undefined {
  const [, sentence] = POSTGRES_PROBLEMS.find(([pattern]) => pattern.test(code)) ?? []
  if (sentence !== undefined) return sentence
  // The errors of `pg` for connection timeouts have no code.
  return /timeout exceeded when trying to connect|Connection terminated/.test(error.message)
    ? POSTGRES_PROBLEMS[0]?.[1]
    : undefined
}
