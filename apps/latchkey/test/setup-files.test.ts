import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Change, describeChange, fileHashes, findChanges } from '../src/setup/changes.ts'
import { unifiedDiff } from '../src/setup/diff.ts'
import { type Manifest, readManifest } from '../src/setup/manifest.ts'
import type { PlannedFile } from '../src/setup/plan.ts'
import { finishWriting, writeChanges } from '../src/setup/write.ts'

let root = ''
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'latchkey-files-'))))
afterEach(() => rmSync(root, { recursive: true }))

const MANIFEST = '/etc/latchkey/setup.json'
const at = (path: string) => join(root, path)
const read = (path: string) => readFileSync(at(path), 'utf8')
function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}
/** All files below the root with their texts. */
const snapshot = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => [path, statSync(path).isFile() ? readFileSync(path, 'utf8') : 'folder'])

const plan = (text = 'A=1\n'): PlannedFile[] => [
  { path: '/etc/latchkey/links.env', text, mode: 0o600 },
  { path: '/etc/latchkey/token', text: 'hunter22hunter22\n', mode: 0o600, isSecret: true },
  { path: '/etc/caddy/latchkey.caddyfile', text: `host {\n}\n# ${text}` },
]
const manifest = (changes: readonly Change[]): Manifest => ({
  version: '0.1.0',
  install: 'systemd',
  proxy: 'caddy',
  answers: {},
  secrets: [],
  files: fileHashes(changes),
})
/** Runs a setup. Returns the action for each file. */
function setUp(files: readonly PlannedFile[]): Change['action'][] {
  const changes = findChanges(root, files, readManifest(at(MANIFEST)))
  writeChanges({ root, manifestPath: MANIFEST }, changes, manifest(changes))
  return changes.map(({ action }) => action)
}

describe('O2.3: files', () => {
  test('are created with their permissions, whatever the mask of the shell is', () => {
    const mask = process.umask(0o077)
    expect(setUp(plan())).toEqual(['create', 'create', 'create'])
    process.umask(mask)
    const mode = (path: string) => (statSync(at(path)).mode & 0o777).toString(8)
    expect(
      [
        '/etc/latchkey',
        '/etc/latchkey/links.env',
        MANIFEST,
        '/etc/caddy',
        '/etc/caddy/latchkey.caddyfile',
      ].map(mode),
    ).toEqual(['700', '600', '600', '755', '644'])
  })

  test('with secrets are closed to others by their folder, also by one that was there before', () => {
    put('/secrets/other', '')
    chmodSync(at('/secrets'), 0o755)
    setUp([{ path: '/secrets/token', text: 'hunter22hunter22\n', mode: 0o644, isSecret: true }])
    expect((statSync(at('/secrets')).mode & 0o777).toString(8)).toBe('700')
  })

  test('are updated while they are as setup wrote them, and left alone when equal', () => {
    setUp(plan())
    expect(setUp(plan())).toEqual(['same', 'same', 'same'])
    expect(setUp(plan('A=2\n'))).toEqual(['update', 'same', 'update'])
    expect(read('/etc/latchkey/links.env')).toBe('A=2\n')
  })
})

test('O2.3e: a secret that a package or a person wrote stays, with a line end or without', () => {
  put('/etc/latchkey/token', 'hunter22hunter22')
  expect(setUp(plan())).toEqual(['create', 'same', 'create'])
  expect(setUp(plan())).toEqual(['same', 'same', 'same'])
  expect(read('/etc/latchkey/token')).toBe('hunter22hunter22')
  put('/etc/latchkey/token', 'another')
  expect(setUp(plan())).toEqual(['same', 'foreign', 'same'])
})

describe('O2.3c: a file that someone changed', () => {
  test('stays as it is while setup has nothing new for it', () => {
    setUp(plan())
    put('/etc/latchkey/links.env', 'A=1\nB=2\n')
    expect(setUp(plan())).toEqual(['foreign', 'same', 'same'])
    expect(read('/etc/latchkey/links.env')).toBe('A=1\nB=2\n')
    expect(existsSync(at('/etc/latchkey/links.env.new'))).toBe(false)
  })

  test('gets the new text beside it, and nothing in it', () => {
    setUp(plan())
    put('/etc/latchkey/links.env', 'A=1\nB=2\n')
    expect(setUp(plan('A=2\n'))).toEqual(['beside', 'same', 'update'])
    expect([read('/etc/latchkey/links.env'), read('/etc/latchkey/links.env.new')]).toEqual([
      'A=1\nB=2\n',
      'A=2\n',
    ])
    expect(setUp(plan('A=2\n'))).toEqual(['foreign', 'same', 'same'])
    expect(setUp(plan('A=3\n'))).toEqual(['beside', 'same', 'update'])
    expect([read('/etc/latchkey/links.env'), read('/etc/latchkey/links.env.new')]).toEqual([
      'A=1\nB=2\n',
      'A=3\n',
    ])
  })

  test('that setup never wrote gets the new text beside it', () => {
    put('/etc/latchkey/links.env', 'B=2\n')
    expect(setUp(plan())).toEqual(['beside', 'create', 'create'])
    expect(read('/etc/latchkey/links.env')).toBe('B=2\n')
  })

  test('stops setup if the file beside it is not of setup', () => {
    put('/etc/latchkey/links.env', 'B=2\n')
    put('/etc/latchkey/links.env.new', 'C=3\n')
    const before = snapshot()
    expect(() => setUp(plan())).toThrow('setup did not write /etc/latchkey/links.env.new')
    expect(snapshot()).toEqual(before)
  })

  test('stops setup if it changes between the diff and the writing', () => {
    setUp(plan())
    const changes = findChanges(root, plan('A=2\n'), readManifest(at(MANIFEST)))
    put('/etc/caddy/latchkey.caddyfile', 'mine')
    const before = snapshot()
    expect(() => writeChanges({ root, manifestPath: MANIFEST }, changes, manifest(changes))).toThrow(
      '/etc/caddy/latchkey.caddyfile was changed in this moment',
    )
    expect(snapshot()).toEqual(before)
  })

  test('stops setup if it is a link or a folder', () => {
    put('/elsewhere', 'x')
    mkdirSync(at('/etc/latchkey'), { recursive: true })
    symlinkSync(at('/elsewhere'), at('/etc/latchkey/links.env'))
    expect(() => setUp(plan())).toThrow('/etc/latchkey/links.env is not an ordinary file')
    rmSync(at('/etc/latchkey/links.env'))
    mkdirSync(at('/etc/latchkey/links.env'))
    expect(() => setUp(plan())).toThrow('/etc/latchkey/links.env is not an ordinary file')
    expect(read('/elsewhere')).toBe('x')
  })

  test('O2.3d: is not one that is as its Debian package installed it', () => {
    const text = '# Settings of Links\n'
    put('/etc/latchkey/links.env', text)
    put('/etc/latchkey/token', 'changed')
    const conffiles = [
      ` /etc/latchkey/links.env ${hash('md5', text, 'hex')}`,
      ` /etc/latchkey/token ${hash('md5', 'packaged', 'hex')}`,
    ]
    put('/var/lib/dpkg/status', `Package: latchkey\nConffiles:\n${conffiles.join('\n')}\n`)
    expect(setUp(plan())).toEqual(['update', 'beside', 'create'])
  })

  test('O2.3d: is not one that is as its rpm installed it', () => {
    put('/etc/latchkey/links.env', '# Settings of Links\n')
    put('/etc/latchkey/token', 'changed')
    const digests = [
      `/etc/latchkey/links.env ${hash('sha256', '# Settings of Links\n', 'hex')}`,
      `/etc/latchkey/token ${hash('sha256', 'packaged', 'hex')}`,
    ]
    mkdirSync(at('/var/lib/rpm'), { recursive: true })
    put('/bin/rpm', `#!/bin/sh\nprintf '\\n%s\\n' '${digests.join("' '")}'\n`)
    chmodSync(at('/bin/rpm'), 0o755)
    const path = process.env['PATH']
    process.env['PATH'] = `${at('/bin')}:${path}`
    expect(setUp(plan())).toEqual(['update', 'beside', 'create'])
    process.env['PATH'] = path
  })

  test('needs only its line if a line is enough', () => {
    const main: PlannedFile = { path: '/etc/caddy/Caddyfile', text: 'import x\n', line: 'import x' }
    put('/etc/caddy/Caddyfile', 'host {\n}\n')
    expect(setUp([main])).toEqual(['line'])
    put('/etc/caddy/Caddyfile', 'host {\n}\n  import x\n')
    expect(setUp([main])).toEqual(['foreign'])
    expect(read('/etc/caddy/Caddyfile')).toBe('host {\n}\n  import x\n')
  })
})

describe('O2.3b: setup writes all files or none', () => {
  test('when a folder cannot be created', () => {
    put('/etc/caddy', 'a file where a folder belongs')
    const before = snapshot()
    expect(() => setUp(plan())).toThrow('ENOTDIR')
    expect(snapshot()).toEqual(before)
  })

  test('when a text cannot be staged', () => {
    setUp(plan())
    mkdirSync(at('/etc/caddy/latchkey.caddyfile.latchkey-setup'))
    const before = snapshot()
    expect(() => setUp(plan('A=2\n'))).toThrow()
    expect(snapshot()).toEqual(before)
  })

  test('also when it is killed, once the next setup has begun', () => {
    setUp(plan())
    const folder = root
    const results = new Set<string>()
    for (let call = 1; call < 20; call++) {
      root = mkdtempSync(join(tmpdir(), 'latchkey-killed-'))
      cpSync(folder, root, { recursive: true })
      const isKilled = updateAndKill(call)
      finishWriting({ root, manifestPath: MANIFEST })
      const texts = [read('/etc/latchkey/links.env'), read('/etc/caddy/latchkey.caddyfile').split('# ')[1]]
      expect(texts[0]).toBe(texts[1])
      expect(setUp(plan('A=2\n'))).toEqual(
        texts[0] === 'A=1\n' ? ['update', 'same', 'update'] : ['same', 'same', 'same'],
      )
      expect(snapshot().filter(([path]) => /latchkey-setup$|journal$/.test(path ?? ''))).toEqual([])
      results.add(`${isKilled} ${texts[0]}`)
      rmSync(root, { recursive: true })
      if (!isKilled) break
    }
    root = folder
    expect([...results].toSorted()).toEqual(['false A=2\n', 'true A=1\n', 'true A=2\n'])
  })
})

/** Updates the files in a process that is killed at its n-th renaming. */
function updateAndKill(call: number): boolean {
  const source = (name: string) => JSON.stringify(join(import.meta.dir, `../src/setup/${name}.ts`))
  const program = `
    import { fileHashes, findChanges } from ${source('changes')}
    import { readManifest } from ${source('manifest')}
    import { writeChanges } from ${source('write')}
    const [root, path, files] = ${JSON.stringify([root, MANIFEST, plan('A=2\n')])}
    const changes = findChanges(root, files, readManifest(root + path))
    writeChanges({ root, manifestPath: path }, changes, { ...readManifest(root + path), files: fileHashes(changes) })`
  const inject = `inject=rename,renameat,renameat2:signal=SIGKILL:when=${call}`
  const { signalCode } = Bun.spawnSync([
    'strace',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    inject,
    process.execPath,
    '-e',
    program,
  ])
  return signalCode === 'SIGKILL'
}

describe('O2.3a: the diff', () => {
  test('leads from the old text to the new one, with three lines around each change', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)
    const text = (parts: readonly string[]) => `${parts.join('\n')}\n`
    const cases = [
      ['', text(lines(3))],
      [text(lines(3)), ''],
      [text(lines(20)), text(lines(20).map((line) => (line === 'line 9' ? 'changed' : line)))],
      [text(lines(30)), text(['first', ...lines(30).filter((line) => line !== 'line 20'), 'last'])],
      [text(['a', 'b', 'c', 'a', 'b', 'b', 'a']), text(['c', 'b', 'a', 'b', 'a', 'c'])],
    ] as const
    for (const [before, after] of cases) expect(applied(before, unifiedDiff(before, after))).toBe(after)
    expect(unifiedDiff(...cases[2])).toEqual([
      '@@ -6,7 +6,7 @@',
      ' line 6',
      ' line 7',
      ' line 8',
      '-line 9',
      '+changed',
      ' line 10',
      ' line 11',
      ' line 12',
    ])
    expect(unifiedDiff('a\n', 'a').at(-1)).toBe(String.raw`+\ No newline at end of file`)
    expect(unifiedDiff('a\nb\n', 'a\nb\n')).toEqual([])
  })

  test('shows no secret', () => {
    const lines = findChanges(root, plan(), undefined).flatMap(describeChange)
    expect(lines.join('\n')).toContain('+++ /etc/latchkey/token\n(a secret, which is not shown)')
    expect(lines.join('\n')).toContain('+A=1')
    expect(lines.join('\n')).not.toContain('hunter22')
  })

  test('O2.1c: shows no secret that someone wrote into a file of settings', () => {
    put(
      '/etc/latchkey/links.env',
      'LINKS_METRICS_TOKEN=hunter22\nexport LINKS_DATABASE_URL="hunter22"\nA=0\n',
    )
    const lines = findChanges(root, plan(), undefined).flatMap(describeChange).join('\n')
    expect(lines).toContain('--- /etc/latchkey/links.env\n+++ /etc/latchkey/links.env.new\n')
    expect(lines).toContain('-A=0\n+A=1')
    expect(lines).toContain('-LINKS_METRICS_TOKEN=(a secret')
    expect(lines).not.toContain('hunter22')
  })
})

/** The text after a patch. Throws if a line of it is elsewhere. */
function applied(before: string, patch: readonly string[]): string {
  const rest = before === '' ? [] : before.trimEnd().split('\n')
  const result: string[] = []
  let consumed = 0
  for (const line of patch) {
    const [, start, count] = /^@@ -(\d+),(\d+) /.exec(line) ?? []
    if (start !== undefined) {
      const first = Number(start) - (count === '0' ? 0 : 1)
      result.push(...rest.slice(consumed, first))
      consumed = first
    } else if (line.startsWith('+')) result.push(line.slice(1))
    else {
      expect(rest[consumed++]).toBe(line.slice(1))
      if (line.startsWith(' ')) result.push(line.slice(1))
    }
  }
  const lines = [...result, ...rest.slice(consumed)]
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
