import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Workspace } from '../running.ts'
import { only, pairs, readStages, words } from './dockerfile.ts'
import { HAS_NAMESPACES, Image } from './image.ts'

const ROOT = join(import.meta.dir, '../../../..')
const DOCKERFILE = join(ROOT, 'deploy/Dockerfile')
const [build = [], image = []] = readStages(DOCKERFILE)
const tools = process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? ''
const hadolint = tools === '' ? '' : join(dirname(tools), 'hadolint')

test('the image runs without privileges, and stores its data in a volume', () => {
  expect(only(image, 'FROM')).toBe('scratch')
  expect(only(image, 'USER')).toBe('65532:65532')
  expect(only(image, 'STOPSIGNAL')).toBe('SIGTERM')
  expect(words(only(image, 'VOLUME'))).toEqual([only(image, 'WORKDIR')])
  expect(only(image, 'EXPOSE')).toBe('8080 8081')
})

test.skipIf(!existsSync(hadolint))('hadolint finds nothing in the Dockerfile', async () => {
  // DL3059: separate steps stay separate, because unchanged ones are cached.
  const lint = Bun.spawn([hadolint, '--ignore', 'DL3059', DOCKERFILE], { stdout: 'pipe' })
  expect([await new Response(lint.stdout).text(), await lint.exited]).toEqual(['', 0])
})

/** `$1` is the new root: the file system of this machine, and the folders of the build. */
const BUILD = `set -e
root=$1 repository=$2; shift 2
for folder in /*; do
  case "$folder" in /source|/image|/state) continue;; esac
  if [ -L "$folder" ]; then cp -P "$folder" "$root$folder"; continue; fi
  [ -d "$folder" ] || continue
  mkdir -p "$root$folder"
  mount --rbind "$folder" "$root$folder"
done
mount --bind "$repository/node_modules" "$root/source/node_modules"
exec unshare --root="$root" --wd=/source "$@"`

describe.skipIf(!HAS_NAMESPACES)('the steps of the Dockerfile', () => {
  const machine = mkdtempSync(join(tmpdir(), 'latchkey-build-'))
  const data = mkdtempSync(join(tmpdir(), 'latchkey-volume-'))
  const built = join(machine, 'image')

  beforeAll(async () => {
    for (const folder of ['source/node_modules', 'image', 'state'])
      mkdirSync(join(machine, folder), { recursive: true })
    copyContext(join(machine, 'source'))
    const own = process.getuid?.() === 0 ? [] : ['--map-root-user']
    for (const { word, rest } of build) {
      // `npm ci` would install the packages that this repository has installed already.
      if (word !== 'RUN' || rest.startsWith('npm ci')) continue
      const shell = [...words(only(build, 'SHELL')), rest]
      const step = Bun.spawn(
        ['unshare', ...own, '--mount', 'sh', '-c', BUILD, 'build', machine, ROOT, ...shell],
        {
          stdout: 'pipe',
          stderr: 'pipe',
        },
      )
      const output = (await new Response(step.stdout).text()) + (await new Response(step.stderr).text())
      if ((await step.exited) !== 0) throw new Error(`${rest}: ${output}`)
    }
    mkdirSync(join(built, 'var/lib/latchkey'), { recursive: true })
  }, 240_000)
  afterAll(() => {
    for (const folder of [machine, data]) rmSync(folder, { recursive: true, force: true })
  })

  function run(own: readonly string[], ...command: readonly string[]): string[] {
    const at = words(only(image, 'VOLUME'))[0] ?? ''
    return new Image(built).command({ data, at, folder: only(image, 'WORKDIR'), own }, ...command)
  }

  test('build an image of the executable and the C library only', () => {
    const files = [...new Bun.Glob('**').scanSync({ cwd: built, onlyFiles: true })]
    expect(files.filter((file) => !/^lib(64)?\//.test(file))).toEqual(['latchkey'])
    expect(files.length).toBeLessThan(10)
    // The path of the loader depends on the processor.
    const folders = readdirSync(built).filter((name) => name !== 'lib64')
    expect(folders.toSorted()).toEqual(['latchkey', 'lib', 'tmp', 'var'])
    expect(statSync(join(built, 'tmp')).mode & 0o1777).toBe(0o1777)
  })

  test('build an image that runs as the first process, without privileges, on a read-only root', async () => {
    const workspace = new Workspace(
      { ...pairs(only(image, 'ENV')), LINKS_HOST: '127.0.0.1' },
      run(['--pid', '--fork', '--kill-child'], ...words(only(image, 'ENTRYPOINT'))),
    )
    const service = await workspace.start(words(only(image, 'CMD')), /"listening"/)
    expect((await fetch(`${service.origin}/_/health`)).status).toBe(200)
    const check = words(only(image, 'HEALTHCHECK'))
    const healthChecker = new Workspace(
      { ...pairs(only(image, 'ENV')), LINKS_PORT: new URL(service.origin).port },
      run([]),
    )
    expect(await healthChecker.run(check)).toMatchObject({ code: 0, out: 'links: ok\n' })
    expect(existsSync(join(data, 'data/links.db'))).toBe(true)
    expect(await service.stopFirst(only(image, 'STOPSIGNAL') as 'SIGTERM')).toBe(0)
    expect(service.out).toContain('"message":"stopped"')
    expect(await healthChecker.run(check)).toMatchObject({ code: 1 })
    for (const each of [workspace, healthChecker]) each.remove()
  })
})

/** Copies the files of `COPY . .`, without those in .dockerignore. */
function copyContext(folder: string): void {
  const left = readFileSync(`${DOCKERFILE}.dockerignore`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((pattern) => [new Bun.Glob(pattern), new Bun.Glob(`${pattern}/**`)])
  const { stdout } = Bun.spawnSync(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  })
  for (const file of stdout.toString().trim().split('\n'))
    if (existsSync(join(ROOT, file)) && !left.some((glob) => glob.match(file)))
      cpSync(join(ROOT, file), join(folder, file))
}
