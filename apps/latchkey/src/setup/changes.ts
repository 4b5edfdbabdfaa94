// Compares a plan with the files on disk.
import { hash } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CommandFailure } from '../command.ts'
import { unifiedDiff } from './diff.ts'
import { findProgram } from './machine.ts'
import { type Manifest, hashOf, readIfPresent } from './manifest.ts'
import type { PlannedFile } from './plan.ts'
import { settingsByName } from './questions.ts'

/**
 * What happens to a file of the plan:
 * - `create`, `update`: it is written
 * - `same`: it has the text already
 * - `foreign`: someone changed it, and setup has nothing new for it
 * - `beside`: someone changed it, so the new text is written beside it
 * - `line`: it is someone's, and needs a line
 */
export type Action = 'create' | 'update' | 'same' | 'foreign' | 'beside' | 'line'

export interface Change {
  readonly file: PlannedFile
  readonly action: Action
  /** Content of the file now; undefined without one. */
  readonly current: Buffer | undefined
  /** Content of the target now, which differs if that is beside the file. */
  readonly before: Buffer | undefined
  /** Where the text goes, from the root of the installation. */
  readonly target: string
}

/** Compares each file. Throws `CommandFailure` for what is no file. */
export function findChanges(
  root: string,
  files: readonly PlannedFile[],
  manifest: Manifest | undefined,
): Change[] {
  return files.map((file) => {
    const current = readFile(root, file.path)
    const action = actionFor(root, file, current, manifest)
    if (action !== 'beside') return { file, action, current, before: current, target: file.path }
    const target = `${file.path}.new`
    const other = readFile(root, target)
    const onDisk = other && hashOf(other)
    if (onDisk && ![manifest?.files[file.path]?.proposed, hashOf(file.text)].includes(onDisk))
      throw new CommandFailure(
        `${file.path} was changed, and setup did not write ${target}: move ${target} away. Nothing was written`,
      )
    return { file, action, current, before: other, target }
  })
}

function actionFor(
  root: string,
  { path, text, line, isSecret }: PlannedFile,
  current: Buffer | undefined,
  manifest: Manifest | undefined,
): Action {
  if (current === undefined) return 'create'
  const onDisk = hashOf(current)
  const proposed = hashOf(text)
  // Editors and packages end a secret with a line end, or do not.
  const isSameSecret = isSecret === true && current.toString().trimEnd() === text.trimEnd()
  if (onDisk === proposed || isSameSecret) return 'same'
  const last = manifest?.files[path]
  if (onDisk === last?.proposed || isPristine(root, path, current)) return 'update'
  if (line !== undefined)
    return current
      .toString()
      .split('\n')
      .some((each) => each.trim() === line)
      ? 'foreign'
      : 'line'
  return proposed === last?.proposed ? 'foreign' : 'beside'
}

function readFile(root: string, path: string): Buffer | undefined {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false })
  if (stats && !stats.isFile())
    throw new CommandFailure(`${path} is not an ordinary file: move it away. Nothing was written`)
  return readIfPresent(join(root, path))
}

/** Whether a file is as its package installed it. */
function isPristine(root: string, path: string, content: Buffer): boolean {
  const status = readIfPresent(join(root, 'var/lib/dpkg/status'))?.toString('utf8') ?? ''
  return (
    status.includes(`\n ${path} ${hash('md5', content, 'hex')}`) ||
    digestsOfRpm(root, path).includes(`\n${path} ${hashOf(content)}\n`)
  )
}

const RPM_DATABASES = ['usr/lib/sysimage/rpm', 'var/lib/rpm']

/** The lines `PATH SHA-256` of the package that installed a file; empty without one. */
function digestsOfRpm(root: string, path: string): string {
  const rpm = findProgram('rpm')
  // Where there is none, rpm would create a database.
  const hasDatabase = RPM_DATABASES.some((folder) => existsSync(join(root, folder)))
  if (rpm === null || !hasDatabase) return ''
  const format = String.raw`[\n%{FILENAMES} %{FILEDIGESTS}\n]`
  return Bun.spawnSync([rpm, '--root', resolve(root), '-qf', '--qf', format, path]).stdout.toString()
}

/** The unified diff of a change, with the names of its files. Empty if nothing is written. */
export function describeChange({ file, action, current, target }: Change): string[] {
  if (action === 'same' || action === 'foreign' || action === 'line') return []
  const header = [`--- ${current === undefined ? '/dev/null' : file.path}`, `+++ ${target}`]
  if (file.isSecret) return [...header, '(a secret, which is not shown)']
  return [...header, ...unifiedDiff(current?.toString('utf8') ?? '', file.text).map(hideSecret)]
}

/** A line of a diff without the value of a secret, which someone may have written into a file. */
function hideSecret(line: string): string {
  const [, start = '', name = '', value = ''] = /^([ +-]\s*(?:export\s+)?)(\w+)=(.*)$/.exec(line) ?? []
  const isSecret = settingsByName.get(name)?.secret === true && !value.startsWith('sqlite:')
  return isSecret ? `${start}${name}=(a secret, which is not shown)` : line
}

/** What setup knows of the files from now on. */
export function fileHashes(changes: readonly Change[]): Manifest['files'] {
  return Object.fromEntries(
    changes.map(({ file, action, current }) => {
      const proposed = hashOf(file.text)
      const isWritten = action === 'create' || action === 'update'
      return [
        file.path,
        { proposed, onDisk: isWritten || current === undefined ? proposed : hashOf(current) },
      ]
    }),
  )
}
