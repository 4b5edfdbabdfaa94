// Runs on plain Node before any package is installed: brings node_modules in line with
// package-lock.json, once. Without an argument it installs the packages of the services; with
// `--dev` also those for checks and tests.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const mark = `${root}node_modules/.installed`
/**
 * A folder with a file named after the process that installs. Outside node_modules, which npm
 * empties first.
 */
const lock = `${root}.installing`
const WAIT_MS = 200
/**
 * Files of packages that no service reads: source maps, TypeScript sources that are also there as
 * JavaScript, the halves of the table of countries, pages for developers, but no licences, and tests.
 * Declarations stay, for a later `--dev`.
 */
const UNREAD =
  /\.map$|(?<!\.d)\.ts$|-country-ipv[46]\.mmdb$|(?<!licen[cs]e)\.md$|node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+[/\\]test[/\\]/i
const wantsDev = process.argv.includes('--dev')

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex')
}

/**
 * Returns whether node_modules matches package-lock.json, and whether it includes the development
 * packages.
 */
function readMark() {
  const [hash, extent] = (contentOf(mark) ?? '').split(' ')
  // Without the mark, npm was called by hand.
  const hasDev = extent === undefined ? existsSync(`${root}node_modules/oxlint`) : extent === 'dev'
  return { isCurrent: hash === lockHash(), hasDev }
}

function isInstalled() {
  const { isCurrent, hasDev } = readMark()
  return isCurrent && (hasDev || !wantsDev)
}

function contentOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Two installations at once would delete each other's files. */
function takeLock() {
  for (let tries = 0; !isMine(); tries++) {
    const holder = holderOfLock()
    if (tries === 0)
      process.stderr.write(`Waiting for another installation to end (there is none? Remove ${lock}) ...\n`)
    // In a restarted container, a killed process may have had the same id as this one.
    if (holder === process.pid || (holder > 0 && !isRunning(holder))) leave(holder)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
  }
  process.once('exit', () => {
    leave(process.pid)
    try {
      rmdirSync(lock)
    } catch {
      // A waiting process already has the lock.
    }
  })
}

/**
 * Replaces only an empty folder. Of several processes that removed the file of a killed one,
 * exactly one succeeds.
 */
function isMine() {
  const own = `${lock}.${process.pid}`
  mkdirSync(own, { recursive: true })
  writeFileSync(`${own}/${process.pid}`, '')
  try {
    renameSync(own, lock)
    return true
  } catch (error) {
    rmSync(own, { recursive: true })
    // Not empty, or a file in its place.
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(error.code)) return false
    throw error
  }
}

function holderOfLock() {
  try {
    return Number(readdirSync(lock)[0])
  } catch {
    return NaN
  }
}

function leave(pid) {
  rmSync(`${lock}/${pid}`, { force: true })
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function npm(...args) {
  const { status } = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  })
  return status
}

function bunRuns() {
  // The file has this name on every platform.
  return spawnSync(`${root}node_modules/bun/bin/bun.exe`, ['--version']).status === 0
}

/** Our own packages are links, which are not followed. */
function removeUnreadFiles() {
  const options = { recursive: true, withFileTypes: true }
  for (const entry of readdirSync(`${root}node_modules`, options)) {
    const { name, path, parentPath = path } = entry
    if (entry.isFile() && UNREAD.test(`${parentPath}/${name}`)) rmSync(`${parentPath}/${name}`)
  }
}

function install() {
  const { isCurrent, hasDev } = readMark()
  // A clone with development packages keeps them with the next version.
  const withDev = wantsDev || hasDev
  // Independent of NODE_ENV and npm's own settings.
  const extent = ['--include=optional', withDev ? '--include=dev' : '--omit=dev']
  // Unlike `npm ci`, it removes no files that may be in use.
  const command = isCurrent ? ['install', '--no-save'] : ['ci']
  const status = npm(...command, ...extent, '--no-audit', '--no-fund', '--loglevel=error')
  if (status !== 0) process.exit(status ?? 1)
  // Bun's package installs its runtime by a script, which `ignore-scripts` prevents.
  if (!bunRuns()) npm('rebuild', 'bun', '--ignore-scripts=false', '--loglevel=error')
  if (!bunRuns()) {
    process.stderr.write('Bun, which everything runs on, was installed but does not run.\n')
    process.exit(1)
  }
  if (!withDev) removeUnreadFiles()
  writeFileSync(mark, `${lockHash()} ${withDev ? 'dev' : 'run'}`)
}

if (!isInstalled()) {
  takeLock()
  if (!isInstalled()) {
    process.stderr.write('Installing what is missing (once, with npm) ...\n')
    install()
  }
}
