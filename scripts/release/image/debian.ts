import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, run } from '../run.ts'
import packages from './debian.json' with { type: 'json' }
import type { TarEntry } from './tar.ts'

/** Debian's name of a processor architecture, which is also that of OCI images. */
export type Architecture = 'amd64' | 'arm64'

type DebianPackage = (typeof packages)[number]

const CACHE = join(ROOT, 'node_modules/.cache/latchkey-debian')
/** The download program of apt, which knows this machine's proxy. */
const DOWNLOAD = '/usr/lib/apt/apt-helper'
const PLACES = {
  amd64: { triplet: 'x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { triplet: 'aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1' },
} as const

/** The Debian packages of the image, for its bill of materials. */
export const DEBIAN_PACKAGES: readonly { name: string; version: string }[] = packages

/**
 * The libraries of C and C++ that the executable needs, at Debian's paths, with their licences and
 * the records by which scanners know their versions. Throws if Debian's archive has no such package
 * or another one.
 */
export async function debianEntries(architecture: Architecture): Promise<TarEntry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-debian-'))
  try {
    const entries: TarEntry[] = []
    for (const each of packages) {
      const file = await fetchPackage(each, architecture)
      await run(['dpkg-deb', '--extract', file, folder])
      entries.push(...entriesOf(each, architecture, folder))
      const record = await run(['dpkg-deb', '--field', file])
      entries.push(readable(`var/lib/dpkg/status.d/${each.name}`, Buffer.from(record)))
    }
    const { loader } = PLACES[architecture]
    return [...entries, { path: loader, mode: 0o755, content: readFileSync(join(folder, loader)) }]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function entriesOf({ name, libraries }: DebianPackage, architecture: Architecture, folder: string) {
  const { triplet } = PLACES[architecture]
  const paths = libraries.map((library) => {
    const path = ['lib', 'usr/lib']
      .map((each) => `${each}/${triplet}/${library}`)
      .find((each) => existsSync(join(folder, each)))
    if (path === undefined) throw new Error(`${name} has no ${library}`)
    return path
  })
  return [...paths, `usr/share/doc/${name}/copyright`].map((path) =>
    readable(path, readFileSync(join(folder, path))),
  )
}

function readable(path: string, content: Uint8Array): TarEntry {
  return { path, mode: 0o644, content }
}

/** Returns the file of a package, downloaded once. */
async function fetchPackage(
  { name, version, folder, sha256 }: DebianPackage,
  architecture: Architecture,
): Promise<string> {
  const fileName = `${name}_${version}_${architecture}.deb`
  const file = join(CACHE, fileName)
  if (existsSync(file)) return file
  mkdirSync(CACHE, { recursive: true })
  const part = `${file}.${process.pid}`
  const url = `${await archive()}/${folder}/${fileName.replaceAll('+', '%2b')}`
  await run([DOWNLOAD, 'download-file', url, part, `SHA256:${sha256[architecture]}`])
  renameSync(part, file)
  return file
}

/** The URL of Debian's archive: that of this machine's apt, or the variable's. */
async function archive(): Promise<string> {
  const format = ['--format', '$(SITE)', 'Created-By: Packages', 'Component: main']
  const sites = process.env['DEBIAN_ARCHIVE'] ?? (await run(['apt-get', 'indextargets', ...format]))
  const site = sites.split('\n').find((each) => /\/debian(?:$|\/)/.test(each))
  if (site === undefined)
    throw new Error(
      'The apt of this machine is not that of Debian: set DEBIAN_ARCHIVE to the URL of a mirror',
    )
  return site
}
