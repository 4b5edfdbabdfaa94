// Runs on plain Node before anything is installed: brings node_modules to what package-lock.json says, once.
// Without an argument it installs what runs; with `--dev` also what checks and tests.
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
/** A folder with a file named by the process that installs; outside node_modules, which npm empties first. */
const lock = `${root}.installing`
const WAIT_MS = 200
const wantsDev = process.argv.includes('--dev')

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex')
}

/** Whether what is installed is that of package-lock.json, and whether it can check and test. */
function readMark() {
  const [hash, extent] = (contentOf(mark) ?? '').split(' ')
  // Without it, npm was called by hand.
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

/** Two that install at once would take each other's files away. */
function takeLock() {
  for (let tries = 0; !isMine(); tries++) {
    const holder = holderOfLock()
    if (tries === 0)
      process.stderr.write(`Waiting for another installation to end (there is none? Remove ${lock}) ...\n`)
    // In a container that is started again, whoever was killed had the number that this one has.
    if (holder === process.pid || (holder > 0 && !isRunning(holder))) leave(holder)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
  }
  process.once('exit', () => {
    leave(process.pid)
    try {
      rmdirSync(lock)
    } catch {
      // Somebody who waited has it already.
    }
  })
}

/** Only an empty folder is replaced: of several that took a killed one's name out of it, one succeeds. */
function isMine() {
  const own = `${lock}.${process.pid}`
  mkdirSync(own, { recursive: true })
  writeFileSync(`${own}/${process.pid}`, '')
  try {
    renameSync(own, lock)
    return true
  } catch (error) {
    rmSync(own, { recursive: true })
    // Not empty, or the file that earlier versions made.
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
  // The file of this name is the one of every platform.
  return spawnSync(`${root}node_modules/bun/bin/bun.exe`, ['--version']).status === 0
}

function install() {
  const { isCurrent, hasDev } = readMark()
  // Whoever tests here goes on doing so with the next version.
  const withDev = wantsDev || hasDev
  // Whatever NODE_ENV and npm's own settings include and leave out elsewhere.
  const extent = ['--include=optional', withDev ? '--include=dev' : '--omit=dev']
  // Unlike `npm ci` it removes nothing that may be running here.
  const command = isCurrent ? ['install', '--no-save'] : ['ci']
  const status = npm(...command, ...extent, '--no-audit', '--no-fund', '--loglevel=error')
  if (status !== 0) process.exit(status ?? 1)
  // Its runtime comes with a script of its own, which `ignore-scripts` keeps from running.
  if (!bunRuns()) npm('rebuild', 'bun', '--ignore-scripts=false', '--loglevel=error')
  if (!bunRuns()) {
    process.stderr.write('Bun, which everything runs on, was installed but does not run.\n')
    process.exit(1)
  }
  writeFileSync(mark, `${lockHash()} ${withDev ? 'dev' : 'run'}`)
}

if (!isInstalled()) {
  takeLock()
  if (!isInstalled()) {
    process.stderr.write('Installing what is missing (once, with npm) ...\n')
    install()
  }
}
