import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { VERSION } from '@latchkey/links/api/version'
import { tar } from './image/tar.ts'
import { ROOT } from './run.ts'

/** What the templates have in place of the home of the project and the hashes of a release. */
const HOME = 'https://example.com/latchkey'
const HASH = /sha256-A{43}=|0{64}/

const FOLDERS = ['Formula', 'deploy/catalogues', 'deploy/nix']

export interface Published {
  /** URL of the repository. Its releases are below, where GitHub has them. */
  home: string
  /** The name of the image in its registry, without a version. */
  image: string
  /** SHA-256 of the executables by platform, in hexadecimal. */
  hashes: ReadonlyMap<string, string>
}

/** The files for package managers and catalogues that name a release, by path. */
export function filledTemplates(published: Published): ReadonlyMap<string, string> {
  const templates = FOLDERS.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.*`).scanSync(ROOT)])
  const paths = ['flake.nix', ...templates].toSorted()
  return new Map(paths.map((path) => [path, fill(readFileSync(join(ROOT, path), 'utf8'), published)]))
}

/** An archive of the filled templates. */
export function templatesArchive(published: Published): Uint8Array {
  const entries = [...filledTemplates(published)].map(([path, text]) => ({
    path,
    mode: 0o644,
    content: Buffer.from(text),
  }))
  return gzipSync(tar(entries), { level: 9 })
}

/** Puts the home, the image and the hashes of a release into a template. */
function fill(template: string, { home, image, hashes }: Published): string {
  let text = template
  for (const [platform, hash] of hashes) {
    const hashOfPlatform = new RegExp(`(?<=${platform}"[^"]*")(?:${HASH.source})`, 'g')
    text = text.replaceAll(hashOfPlatform, (old) => (old.startsWith('sha256-') ? subresource(hash) : hash))
  }
  return text
    .replaceAll(HOME, home)
    .replaceAll(`image: latchkey:${VERSION}`, `image: ${image}:${VERSION}`)
    .replaceAll('repository: latchkey', `repository: ${image}`)
}

/** The form of Subresource Integrity, which Nix has. */
function subresource(hash: string): string {
  return `sha256-${Buffer.from(hash, 'hex').toString('base64')}`
}
