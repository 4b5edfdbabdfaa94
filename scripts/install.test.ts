import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import lock from '../package-lock.json' with { type: 'json' }

const REPOSITORY = join(import.meta.dir, '..')

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'latchkey-install-'))
  mkdirSync(join(root, 'scripts'))
  mkdirSync(join(root, 'bin'))
  cpSync(join(import.meta.dir, 'install.mjs'), join(root, 'scripts/install.mjs'))
  writeFileSync(join(root, 'package-lock.json'), '{}')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/**
 * A replacement for npm, which would need the registry: a shell script in the folder of the clone.
 */
function npmDoes(script: string): void {
  const file = join(root, 'bin/npm')
  writeFileSync(file, `#!/bin/sh\necho "$*" >> calls\n${script}\n`)
  chmodSync(file, 0o755)
}

const BUN_THAT = (what: string) =>
  `mkdir -p node_modules/bun/bin; printf '#!/bin/sh\\n${what}\\n' > node_modules/bun/bin/bun.exe; chmod +x node_modules/bun/bin/bun.exe`

function install(environment: Record<string, string> = {}, ...options: string[]) {
  return Bun.spawn([process.env['NODE'] ?? 'node', join(root, 'scripts/install.mjs'), ...options], {
    env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}`, ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

const calls = () => readFileSync(join(root, 'calls'), 'utf8').trim().split('\n')
const mark = () => join(root, 'node_modules/.installed')

test('of two processes that start at once, one installs and the other waits for it', async () => {
  npmDoes(`${BUN_THAT('exit 0')}; while [ ! -e goes-on ]; do :; done`)
  const first = install()
  while (!existsSync(join(root, 'calls'))) await Bun.sleep(5)
  const second = install()
  const reader = second.stderr.getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toContain('Waiting for another installation')
  expect(existsSync(mark())).toBe(false)
  writeFileSync(join(root, 'goes-on'), '')
  expect([await first.exited, await second.exited]).toEqual([0, 0])
  expect(calls()).toHaveLength(1)
  expect([existsSync(mark()), existsSync(join(root, '.installing'))]).toEqual([true, false])
})

async function killedOneHadTheLock(): Promise<void> {
  const exitedProcess = Bun.spawn(['true'])
  await exitedProcess.exited
  mkdirSync(join(root, '.installing'))
  writeFileSync(join(root, '.installing', String(exitedProcess.pid)), '')
}

test('an installation does not wait for a killed one', async () => {
  npmDoes(BUN_THAT('exit 0'))
  await killedOneHadTheLock()
  expect(await install().exited).toBe(0)
  expect(existsSync(mark())).toBe(true)
})

test('of two processes that find the lock of a killed one, the slower does not take it from the faster', async () => {
  npmDoes(`${BUN_THAT('exit 0')}; while [ ! -e waits ] && [ $(wc -l < calls) = 1 ]; do :; done`)
  await killedOneHadTheLock()
  // Between finding the owner of the lock and removing it, the slower one is held up until the
  // other installs.
  const slowly = join(root, 'slowly.cjs')
  writeFileSync(
    slowly,
    `const fs = require('node:fs')
    const { rmSync } = fs
    fs.rmSync = (file, options) => {
      if (!/installing\\.\\d+$/.test(file)) {
        fs.writeFileSync(__dirname + '/found', '')
        while (!fs.existsSync(__dirname + '/calls'));
      }
      rmSync(file, options)
    }
    require('node:module').syncBuiltinESMExports()
    const { wait } = Atomics
    Atomics.wait = (...args) => {
      fs.writeFileSync(__dirname + '/waits', '')
      return wait(...args)
    }`,
  )
  const slower = install({ NODE_OPTIONS: `--require ${slowly}` })
  while (!existsSync(join(root, 'found'))) await Bun.sleep(5)
  const faster = install()
  expect([await slower.exited, await faster.exited]).toEqual([0, 0])
  expect(calls()).toHaveLength(1)
  expect(readdirSync(root).filter((name) => name.startsWith('.installing'))).toEqual([])
})

test('a complete installation is not repeated until the lock file changes', async () => {
  npmDoes(BUN_THAT('exit 0'))
  expect([await install().exited, await install().exited]).toEqual([0, 0])
  expect(calls()).toHaveLength(1)
  writeFileSync(join(root, 'package-lock.json'), '{"name":"newer"}')
  expect(await install().exited).toBe(0)
  expect(calls()).toHaveLength(2)
})

test('a start installs the packages of the services, and a test run all packages, for any NODE_ENV', async () => {
  for (const [environment, options, extent] of [
    ['development', [], '--omit=dev'],
    ['production', ['--dev'], '--include=dev'],
  ] as const) {
    rmSync(join(root, 'node_modules'), { recursive: true, force: true })
    npmDoes(BUN_THAT('exit 0'))
    expect(await install({ NODE_ENV: environment }, ...options).exited).toBe(0)
    expect(calls().at(-1)).toContain(`ci --include=optional ${extent} `)
  }
  expect(calls()).toHaveLength(2)
})

test('a test run adds its packages without removing others, and later starts install nothing', async () => {
  npmDoes(BUN_THAT('exit 0'))
  expect(await install().exited).toBe(0)
  expect(await install({}, '--dev').exited).toBe(0)
  expect(calls()[1]).toContain('install --no-save --include=optional --include=dev ')
  expect([await install().exited, await install({}, '--dev').exited]).toEqual([0, 0])
  expect(calls()).toHaveLength(2)
})

test('a start does not remove development packages that were installed with npm by hand', async () => {
  npmDoes(BUN_THAT('exit 0'))
  mkdirSync(join(root, 'node_modules/oxlint'), { recursive: true })
  expect(await install().exited).toBe(0)
  expect(calls()[0]).toContain('ci --include=optional --include=dev ')
})

test('after a test run, a start after an update installs the development packages, too', async () => {
  npmDoes(BUN_THAT('exit 0'))
  expect(await install({}, '--dev').exited).toBe(0)
  writeFileSync(join(root, 'package-lock.json'), '{"name":"newer"}')
  expect(await install().exited).toBe(0)
  expect(calls()[1]).toContain('ci --include=optional --include=dev ')
})

test('an installation that fails, or whose Bun does not run, does not count as complete', async () => {
  npmDoes('exit 7')
  expect(await install().exited).toBe(7)
  npmDoes(BUN_THAT('exit 1'))
  expect(await install().exited).toBe(1)
  expect(calls().at(-1)).toContain('rebuild bun --ignore-scripts=false')
  expect([existsSync(mark()), existsSync(join(root, '.installing'))]).toEqual([false, false])
})

test('a start keeps only the files of packages that a service reads, and a test run keeps all', async () => {
  const read = ['index.js', 'index.d.ts', 'LICENSE.md', 'lib/test/of-service.js']
  const unread = ['index.js.map', 'src/index.ts', 'README.md', 'test/index.js']
  npmDoes(`${BUN_THAT('exit 0')}; mkdir -p own node_modules/kysely/src; touch own/own.ts
    ln -s ../own node_modules/own; cd node_modules/kysely; mkdir -p lib/test test src
    touch ${[...read, ...unread].join(' ')}`)
  const existing = () =>
    [...read, ...unread, '../own/own.ts'].filter((file) =>
      existsSync(join(root, 'node_modules/kysely', file)),
    )
  expect([await install().exited, existing()]).toEqual([0, [...read, '../own/own.ts']])
  expect([await install({}, '--dev').exited, existing().length]).toEqual([0, 9])
})

test('O7.2: what a start installs takes at most 250 MB', async () => {
  const packages = Object.entries(lock.packages as Record<string, { dev?: boolean; link?: boolean }>)
    .filter(([path, { dev, link }]) => /^node_modules\/(?!.*node_modules\/)/.test(path) && !dev && !link)
    .map(([path]) => path)
    .filter((path) => existsSync(join(REPOSITORY, path)))
  writeFileSync(join(root, 'packages'), packages.join('\n'))
  npmDoes(`cd '${REPOSITORY}' && xargs cp -a --parents -t '${root}' < '${root}/packages'`)
  expect(await install().exited).toBe(0)
  const [size] = Bun.spawnSync(['du', '-sB1', join(root, 'node_modules')])
    .stdout.toString()
    .split('\t')
  expect(packages.length).toBeGreaterThan(150)
  expect(Number(size)).toBeGreaterThan(100_000_000)
  expect(Number(size)).toBeLessThan(250_000_000)
}, 60_000)
