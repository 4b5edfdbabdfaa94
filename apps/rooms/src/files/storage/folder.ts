import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type FileStorage, isContentKey } from './storage.ts'

/** Contents in a folder, `ab/ab…` by key. The folder is created with the first upload. */
export function folderStorage(path: string): FileStorage {
  const folder = resolve(path)
  const pathOf = (key: string) => join(folder, key.slice(0, 2), key)
  return {
    // On the same file system: a rename is atomic only there.
    spoolFolder: join(folder, 'uploads'),
    async put(key, from) {
      const to = pathOf(key)
      await syncToDisk(from)
      await mkdir(dirname(to), { recursive: true, mode: 0o700 })
      await rename(from, to)
      await syncToDisk(dirname(to))
    },
    async read(key, { start, end }) {
      const content = Bun.file(pathOf(key))
      return (await content.exists()) ? content.slice(start, end + 1).stream() : undefined
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    async *list() {
      for (const shard of await namesIn(folder)) {
        if (!/^[0-9a-f]{2}$/.test(shard)) continue
        for (const key of await namesIn(join(folder, shard))) {
          if (!isContentKey(key)) continue
          const { size, mtimeMs } = await stat(pathOf(key))
          yield { key, bytes: size, modifiedMs: mtimeMs }
        }
      }
    },
  }
}

/** A folder that does not exist yet has no files. */
async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
