import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VERSION } from '@latchkey/links/api/version'
import { CONFIGURATION, USER } from '../../../../scripts/release/image/configuration.ts'
import { writeImage } from '../../../../scripts/release/image.ts'
import { ownPlatform, platformNamed } from '../../../../scripts/release/platforms.ts'
import { Person } from '../demo-party.ts'
import { type Service, Workspace } from '../running.ts'
import { testExecutable } from './executable.ts'
import { HAS_NAMESPACES, Image } from './image.ts'

const HAS_TOOLS = ['skopeo', 'umoci', 'apt-get', 'dpkg-deb'].every((name) => Bun.which(name) !== null)
const MB = 1_000_000
const LIMIT_MB = 120
const PIXEL = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

const executable = testExecutable()

interface Descriptor {
  digest: string
  size: number
  platform: { architecture: string }
}

function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
  return stdout.toString()
}

describe.skipIf(!HAS_NAMESPACES || !HAS_TOOLS)('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-oci-'))
  const file = join(folder, 'image.tar')
  const archive = `oci-archive:${file}:${VERSION}`
  const own = ownPlatform().name === 'linux-arm64' ? 'arm64' : 'amd64'
  const other = own === 'amd64' ? 'linux-arm64' : 'linux-x64'
  const small = join(folder, 'small')
  let digest: string

  beforeAll(async () => {
    writeFileSync(small, 'no program')
    digest = await writeImage(
      file,
      new Map([
        [ownPlatform(), executable.path],
        [platformNamed(other), small],
      ]),
    )
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const inspect = (...options: string[]) =>
    JSON.parse(run('skopeo', 'inspect', ...options, archive)) as Record<string, unknown>

  test('O1.1: is one index for amd64 and arm64, with the digest that the release names', () => {
    const { manifests } = inspect('--raw') as { manifests: Descriptor[] }
    expect(manifests.map(({ platform }) => platform.architecture).toSorted()).toEqual(['amd64', 'arm64'])
    expect(inspect('--override-arch', 'arm64')).toMatchObject({ Architecture: 'arm64', Os: 'linux' })
    const raw = join(folder, 'index.json')
    writeFileSync(raw, run('skopeo', 'inspect', '--raw', archive))
    expect(run('skopeo', 'manifest-digest', raw).trim()).toBe(digest)
  })

  test('O1.1: has the same bytes when the same executable is packed again', async () => {
    const copy = join(folder, 'copy')
    writeFileSync(copy, readFileSync(small), { mode: 0o600 })
    const [first, second] = [small, copy].map((path) => ({ path, file: `${path}.tar` }))
    const digests = []
    for (const each of [first, second])
      digests.push(await writeImage(each?.file ?? '', new Map([[platformNamed(other), each?.path ?? '']])))
    expect(digests[0]).toBe(digests[1] ?? '')
    expect(readFileSync(`${copy}.tar`).equals(readFileSync(`${small}.tar`))).toBe(true)
    writeFileSync(copy, 'another')
    expect(await writeImage(`${copy}.tar`, new Map([[platformNamed(other), copy]]))).not.toBe(digests[0])
  })

  test('O1.1a: says what it is, in the words of the OCI specification', () => {
    const { Labels } = inspect() as { Labels: Record<string, string> }
    expect(Labels).toMatchObject({
      'org.opencontainers.image.title': 'Latchkey',
      'org.opencontainers.image.version': VERSION,
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.created': expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
  })

  test('O1.1b: has the name by which engines call it once it is loaded', () => {
    const { manifests } = JSON.parse(run('tar', '-xOf', file, 'index.json')) as {
      manifests: { annotations: Record<string, string> }[]
    }
    const names = manifests.map(({ annotations }) => annotations['io.containerd.image.name'])
    expect(names).toEqual([`docker.io/library/latchkey:${VERSION}`])
  })

  test('O1.1b: is converted to the format of Docker', () => {
    run(
      'skopeo',
      'copy',
      '--quiet',
      archive,
      `docker-archive:${join(folder, 'docker.tar')}:latchkey:${VERSION}`,
    )
    expect(statSync(join(folder, 'docker.tar')).size).toBeGreaterThan(MB)
  })

  test(`O1.1d: is pulled as at most ${LIMIT_MB} MB, the figure of the documents`, () => {
    const { manifests } = inspect('--raw') as { manifests: Descriptor[] }
    const { digest: ofOwn } = manifests.find(({ platform }) => platform.architecture === own) ?? {}
    const manifest = JSON.parse(run('tar', '-xOf', file, `blobs/${ofOwn?.replace(':', '/')}`)) as {
      layers: Descriptor[]
    }
    const sizeMb = manifest.layers.reduce((sum, { size }) => sum + size, 0) / MB
    expect(sizeMb).toBeLessThanOrEqual(LIMIT_MB)
    for (const path of ['README.md', 'docs/operate/install.md']) {
      const page = readFileSync(join(import.meta.dir, '../../../..', path), 'utf8')
      const [, stated] = /downloads\s+(\d+)\s+MB/.exec(page) ?? []
      expect([path, Math.abs(sizeMb - Number(stated)) < 3]).toEqual([path, true])
    }
  })

  describe('unpacked', () => {
    const bundle = join(folder, 'bundle')
    const root = join(bundle, 'rootfs')
    const data = mkdtempSync(join(tmpdir(), 'latchkey-volume-'))
    let workspace: Workspace
    let service: Service

    beforeAll(async () => {
      const layout = `${join(folder, 'layout')}:${VERSION}`
      run('skopeo', 'copy', '--quiet', archive, `oci:${layout}`)
      run('umoci', 'unpack', ...(process.getuid?.() === 0 ? [] : ['--rootless']), '--image', layout, bundle)
    }, 60_000)
    afterAll(() => rmSync(data, { recursive: true, force: true }))

    test('O1.1c: has a root with the executable and its libraries, without a shell', () => {
      const files = [...new Bun.Glob('**').scanSync({ cwd: root, dot: true, onlyFiles: true })]
      const rest = files.filter((each) => !/^(usr\/)?lib(64)?\/.*\.so[.\d]*$|\/(doc|dpkg)\//.test(each))
      expect(rest.toSorted()).toEqual(['etc/group', 'etc/passwd', 'latchkey'])
      expect(files.filter((each) => each.endsWith('/copyright')).length).toBeGreaterThan(3)
      for (const each of files) expect([each, statSync(join(root, each)).mode & 0o7022]).toEqual([each, 0])
      expect(statSync(join(root, 'tmp')).mode & 0o1777).toBe(0o1777)
    })

    test('O1.1c: has the record of each of its Debian packages for scanners', () => {
      const record = readFileSync(join(root, 'var/lib/dpkg/status.d/libc6'), 'utf8')
      expect(record).toContain('Package: libc6\n')
      expect(record).toMatch(/^Version: 2\.\d+/m)
    })

    test('O1.1e: runs as the first process on a read-only root, without privileges', async () => {
      const { process: configured } = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8')) as {
        process: { user: { uid: number; gid: number }; args: string[]; env: string[]; cwd: string }
      }
      expect(configured).toMatchObject({
        user: { uid: USER, gid: USER },
        args: ['/latchkey', 'links'],
        cwd: '/',
      })
      expect(configured.env).toEqual(expect.arrayContaining(CONFIGURATION.Env))
      const environment = Object.fromEntries(
        configured.env.map((each) => each.split('=') as [string, string]),
      )
      const first = ['--pid', '--fork', '--kill-child']
      const container = new Workspace(
        { ...environment, LINKS_HOST: '127.0.0.1', PATH: process.env['PATH'] ?? '' },
        new Image(root).command({ data, folder: configured.cwd, own: first }, ...configured.args),
      )
      const started = await container.start([], /"listening"/)
      expect((await fetch(`${started.origin}/_/health`)).status).toBe(200)
      expect(existsSync(join(data, 'links.db'))).toBe(true)
      expect(await started.stopFirst('SIGTERM')).toBe(0)
      expect(started.out).toContain('"message":"stopped"')
      container.remove()
    })

    describe('runs both services', () => {
      beforeAll(async () => {
        workspace = new Workspace({}, new Image(root).command({ data }, '/latchkey'))
        service = await workspace.start(['start'], /--title "First key"/)
      }, 60_000)
      afterAll(async () => {
        await service.kill()
        workspace.remove()
      })

      test('O1.1f: which its health check finds healthy', async () => {
        const env = {
          LINKS_PORT: new URL(service.originOf('links')).port,
          ROOMS_PORT: new URL(service.originOf('rooms')).port,
        }
        const healthy = { code: 0, out: 'links: ok\nrooms: ok\n', err: '' }
        expect(await workspace.run(['health'], { env })).toEqual(healthy)
        expect(await workspace.run(['health'], { env: { ...env, LINKS_PORT: '1' } })).toMatchObject({
          code: 1,
        })
      })

      test('O1.1f: and redirects, shows a page and converts an image', async () => {
        const made = await workspace.run(
          'keys create --identity admin@localhost --scope create --title x'.split(' '),
        )
        const created = await fetch(`${service.origin}/_/api/links`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${made.out.trim()}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ url: 'https://example.com/target', slug: 'hello' }),
        })
        expect(created.status).toBe(201)
        const followed = await fetch(`${service.origin}/hello`, { redirect: 'manual' })
        expect(followed.headers.get('location')).toBe('https://example.com/target')
        expect(await (await fetch(`${service.origin}/_/admin/links`)).text()).toContain('<div id="app">')
        expect(await upload(service.originOf('rooms').replace('127.0.0.1', 'localhost'))).toMatchObject({
          file: { type: 'image/gif', width: 1, height: 1 },
        })
      })
    })
  })
})

/** Uploads a picture to a new room, as Alice, and returns the answer. */
async function upload(lobby: string): Promise<unknown> {
  const begun = await fetch(`${lobby}/api/auth/login`, { redirect: 'manual' })
  const alice = new Person()
  const choice = await alice.open(begun.headers.get('location') ?? '')
  const back = await alice.press(choice, 'Continue as Alice')
  const signedIn = await fetch(back, { redirect: 'manual', headers: { Cookie: cookiesOf(begun) } })
  const cookies = cookiesOf(signedIn)
  const [, csrf = ''] = /csrf=([^;]+)/.exec(cookies) ?? []
  const post = async (path: string, body: string | FormData) => {
    const headers = { Cookie: cookies, 'X-CSRF-Token': csrf, Origin: lobby }
    const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}
    return (await fetch(lobby + path, { method: 'POST', body, headers: { ...headers, ...type } })).json()
  }
  const { room } = await post('/api/rooms', JSON.stringify({ name: 'Pictures', visibility: 'public' }))
  const form = new FormData()
  form.append('file', new Blob([Uint8Array.fromBase64(PIXEL)]), 'pixel.gif')
  return post(`/api/rooms/${room.id}/files`, form)
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
