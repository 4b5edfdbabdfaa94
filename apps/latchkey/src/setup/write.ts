// Writes all files of a plan, or none.
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { CommandFailure } from '../command.ts'
import { type Manifest, formatManifest, hashOf, readIfPresent } from './manifest.ts'
import type { Change } from './changes.ts'

const STAGED = '.latchkey-setup'
const DEFAULT_MODE = 0o644

/** Names of the files that are being put in place. */
const Journal = z.strictObject({ paths: z.array(z.string()), manifest: z.string() })

interface Writing {
  /** The folder that takes the place of `/`. */
  readonly root: string
  /** The path of the manifest. */
  readonly manifestPath: string
}

/**
 * Writes the changes and the manifest. First all texts are on disk under other names, then their
 * names are in a journal, then each replaces its file: an error before leaves everything as it was,
 * and `finishWriting` ends what a crash interrupts after it.
 */
export function writeChanges(
  { root, manifestPath }: Writing,
  changes: readonly Change[],
  manifest: Manifest,
): void {
  const writes = changes.filter(({ action }) => ['create', 'update', 'beside'].includes(action))
  const paths = writes.map(({ target }) => target)
  const undo: (() => void)[] = []
  try {
    for (const { target, file } of writes) {
      createFolders(dirname(join(root, target)), undo)
      if (file.isSecret) closeFolder(dirname(join(root, target)))
      stage(join(root, target), file.text, file.mode ?? DEFAULT_MODE, undo)
    }
    createFolders(dirname(join(root, manifestPath)), undo)
    for (const { target, before } of writes) requireUnchanged(root, target, before)
    const journal = join(root, `${manifestPath}.journal`)
    stage(journal, JSON.stringify({ paths, manifest: formatManifest(manifest) }), 0o600, undo)
    renameSync(journal + STAGED, journal)
  } catch (error) {
    for (const step of undo.toReversed()) step()
    throw explainFailure(error)
  }
  finishWriting({ root, manifestPath })
}

function explainFailure(error: unknown): unknown {
  if (error instanceof CommandFailure) return error
  const { code, path } = error as NodeJS.ErrnoException
  return code === undefined
    ? error
    : new CommandFailure(`${path ?? 'A file'} cannot be written (${code}). Nothing was written`)
}

/** Ends what a crash interrupted. Returns whether there was anything. */
export function finishWriting({ root, manifestPath }: Writing): boolean {
  const path = join(root, `${manifestPath}.journal`)
  const text = readIfPresent(path)
  if (text === undefined) return false
  const { paths, manifest } = Journal.parse(JSON.parse(text.toString('utf8')))
  for (const target of paths) {
    const file = join(root, target)
    if (existsSync(file + STAGED)) renameSync(file + STAGED, file)
  }
  const folders = new Set([...paths, manifestPath].map((target) => dirname(join(root, target))))
  stage(join(root, manifestPath), manifest, 0o600, [])
  renameSync(join(root, manifestPath) + STAGED, join(root, manifestPath))
  for (const folder of folders) syncFolder(folder)
  rmSync(path)
  return true
}

function stage(path: string, text: string, mode: number, undo: (() => void)[]): void {
  const staged = path + STAGED
  // A setup may have been killed before it wrote its journal.
  rmSync(staged, { force: true })
  const descriptor = openSync(staged, 'wx', 0o600)
  undo.push(() => rmSync(staged, { force: true }))
  try {
    writeFileSync(descriptor, text)
    fchmodSync(descriptor, mode)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Folders of secrets are for their owner only. */
const PRIVATE_FOLDER = /\/(?:etc\/latchkey|secrets)$/

function createFolders(folder: string, undo: (() => void)[]): void {
  if (existsSync(folder)) return
  createFolders(dirname(folder), undo)
  mkdirSync(folder)
  // Not left to the mask of the shell: the proxy reads its folder, and no one that of secrets.
  chmodSync(folder, PRIVATE_FOLDER.test(folder) ? 0o700 : 0o755)
  undo.push(() => rmdirSync(folder))
}

/** The folder of secrets may be older than setup. Files in it that containers read rely on it. */
function closeFolder(folder: string): void {
  if (PRIVATE_FOLDER.test(folder) && (statSync(folder).mode & 0o007) !== 0) chmodSync(folder, 0o700)
}

function requireUnchanged(root: string, target: string, before: Buffer | undefined): void {
  const now = readIfPresent(join(root, target))
  const hashes = [now, before].map((content) => content && hashOf(content))
  if (hashes[0] !== hashes[1])
    throw new CommandFailure(`${target} was changed in this moment: run setup again. Nothing was written`)
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
