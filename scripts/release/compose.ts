import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { VERSION } from '@latchkey/links/api/version'
import { tar } from './image/tar.ts'
import { ROOT } from './run.ts'

const FOLDER = join(ROOT, 'deploy/compose')
/** The image of the files, which is not published anywhere. */
const LOCAL_IMAGE = `latchkey:${VERSION}`

/**
 * An archive of the Compose files, which run exactly the image with this digest: whatever `image`
 * will be in its registry, nothing else is started.
 */
export function composeArchive(image: string, digest: string): Uint8Array {
  const published = `${image}:${VERSION}@${digest}`
  const entries = readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => {
      const text = readFileSync(join(FOLDER, name), 'utf8')
      const content = Buffer.from(text.replace(LOCAL_IMAGE, published))
      return { path: name, mode: 0o644, content }
    })
  return gzipSync(tar(entries), { level: 9 })
}
