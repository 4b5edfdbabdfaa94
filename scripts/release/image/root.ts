import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { licences } from '../licences.ts'
import { USER } from './configuration.ts'
import { type Architecture, debianEntries } from './debian.ts'
import type { TarEntry } from './tar.ts'

const encoder = new TextEncoder()

/**
 * The root folder without the program, which stays the same from version to version: libraries, the
 * user, a folder for its data and one for temporary files. No shell, no package manager, and no
 * certificates, which are part of the program.
 */
export async function baseEntries(architecture: Architecture): Promise<TarEntry[]> {
  const files = [
    ...(await debianEntries(architecture)),
    text('etc/passwd', `root:x:0:0:root:/:/sbin/nologin\nlatchkey:x:${USER}:${USER}::/data:/sbin/nologin\n`),
    text('etc/group', `root:x:0:\nlatchkey:x:${USER}:\n`),
  ]
  return [...withFolders(files), { path: 'data', mode: 0o750, owner: USER }, { path: 'tmp', mode: 0o1777 }]
}

/** The program with its licences. */
export function programEntries(executable: string): TarEntry[] {
  return [
    { path: 'latchkey', mode: 0o755, content: readFileSync(executable) },
    ...withFolders([text('usr/share/doc/latchkey/copyright', licences())]),
  ]
}

function text(path: string, content: string): TarEntry {
  return { path, mode: 0o644, content: encoder.encode(content) }
}

function withFolders(files: readonly TarEntry[]): TarEntry[] {
  const folders = new Set(files.flatMap(({ path }) => parentsOf(path)))
  return [...[...folders].map((path) => ({ path, mode: 0o755 })), ...files]
}

function parentsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === '.' ? [] : [...parentsOf(parent), parent]
}
