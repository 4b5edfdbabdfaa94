import { type Reader, openReader } from '@latchkey/database/database'
import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import type { Db, Tables } from '../db/tables.ts'
import type { FileLocation } from '../files/storage/location.ts'
import { openStorage } from '../files/storage/open.ts'
import { type FileStorage, FileStorageUnavailable } from '../files/storage/storage.ts'

interface Options {
  databaseUrl: string
  files: FileLocation
  busUrl: string | null
}

/** Checks that every file has its content, and every content a file. */
export async function* checkFiles({ databaseUrl, files, busUrl }: Options): AsyncGenerator<Finding> {
  if (busUrl !== null && 'folder' in files)
    yield warn(
      'files',
      `All nodes need the same folder ${files.folder}: share it, or set ROOMS_FILES to s3://…`,
    )
  let database: Reader<Tables> | undefined
  try {
    database = openReader(databaseUrl)
    yield* await compare(database.read, openStorage(files))
  } catch (error) {
    if (error instanceof FileStorageUnavailable) yield fail('files', `${error.message}: check ROOMS_FILES`)
    // Other findings report why the database cannot be read, or it does not exist yet.
  } finally {
    await database?.close()
  }
}

async function compare(read: Db, storage: FileStorage): Promise<Finding[]> {
  // A service that runs stores and deletes contents meanwhile.
  const before = await readKeys(read)
  const stored = new Set<string>()
  const surplus: string[] = []
  let bytes = 0
  for await (const content of storage.list()) {
    const [sha256 = ''] = content.key.split('-')
    bytes += content.bytes
    if (content.key === sha256) stored.add(sha256)
    if (!before.has(sha256)) surplus.push(sha256)
  }
  const after = await readKeys(read)
  const lost = [...before.intersection(after)].filter((sha256) => !stored.has(sha256))
  const unused = surplus.filter((sha256) => !after.has(sha256))
  if (lost.length === 0 && unused.length === 0)
    return [
      ok('files', `File contents: ${stored.size}, ${Math.ceil(bytes / 1024 ** 2)} MB in total, all in use`),
    ]
  return [
    ...(lost.length > 0
      ? [fail('files', `File contents lost: ${lost.length}, such as ${lost[0]}. Restore ROOMS_FILES`)]
      : []),
    ...(unused.length > 0
      ? [warn('files', `File contents of no file: ${unused.length}, such as ${unused[0]}. Delete them`)]
      : []),
  ]
}

/** Keys of contents that files use, or may soon use. */
async function readKeys(read: Db): Promise<Set<string>> {
  const rows = await read.selectFrom('file_contents').select('sha256').execute()
  return new Set(rows.map(({ sha256 }) => sha256))
}
