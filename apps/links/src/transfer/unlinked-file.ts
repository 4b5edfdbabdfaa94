import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates an empty file, accessible to the owner only, and opens it with `openPath`. The name is
 * removed at once, so the file disappears with the process, however that ends.
 */
export async function openUnlinkedFile<Handle>(
  openPath: (path: string) => Handle | Promise<Handle>,
): Promise<Handle> {
  const path = join(tmpdir(), `latchkey-import-${crypto.randomUUID()}`)
  await (await open(path, 'wx', 0o600)).close()
  try {
    return await openPath(path)
  } finally {
    await unlink(path)
  }
}
