import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { tar } from './image/tar.ts'
import { ROOT } from './run.ts'

const FOLDER = join(ROOT, 'deploy/helm/latchkey')

/** An archive of the Helm chart, which starts exactly the image with this digest. */
export function chartArchive(image: string, digest: string): Uint8Array {
  const entries = [...new Bun.Glob('**').scanSync(FOLDER)].map((path) => {
    const text = readFileSync(join(FOLDER, path), 'utf8')
    const content = path === 'values.yaml' ? nameImage(text, image, digest) : text
    return { path: `latchkey/${path}`, mode: 0o644, content: Buffer.from(content) }
  })
  return gzipSync(tar(entries), { level: 9 })
}

function nameImage(values: string, image: string, digest: string): string {
  return values
    .replace('repository: latchkey', `repository: ${image}`)
    .replace("digest: ''", `digest: ${digest}`)
}
