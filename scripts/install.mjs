// Runs on plain Node before anything is installed: brings node_modules to what package-lock.json says, once.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const mark = join(root, 'node_modules', '.installed')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

function installed() {
  try {
    return readFileSync(mark, 'utf8') === wanted
  } catch {
    return false
  }
}

if (!installed()) {
  process.stderr.write('Installing what is missing (once, with npm ci) ...\n')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(mark, wanted)
}
