import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import lock from '../../../../package-lock.json' with { type: 'json' }
import manifest from '../../package.json' with { type: 'json' }
import { hasImage } from '../../../../scripts/release/image.ts'
import { PLATFORMS, ownPlatform } from '../../../../scripts/release/platforms.ts'
import { testExecutable } from './executable.ts'

const RELEASE = join(import.meta.dir, '../../../../scripts/release/release.ts')
const python = process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? ''
const another = testExecutable()
const { name: platform } = ownPlatform()
const { version } = manifest

async function release(...args: string[]) {
  const child = Bun.spawn([process.execPath, RELEASE, ...args], { stdout: 'pipe', stderr: 'pipe' })
  const stderr = await new Response(child.stderr).text()
  return { code: await child.exited, stderr }
}

/** The runtime is 107 MB of it (bench/executable). */
const LIMIT_MB = 135

function run(...command: string[]): string {
  return Bun.spawnSync(command).stdout.toString()
}

test('O1.5: the packages of every platform are pinned', () => {
  const { packages } = lock as { packages: Record<string, { integrity?: string }> }
  expect(PLATFORMS).toHaveLength(7)
  for (const { runtime, imageLibrary } of PLATFORMS)
    for (const name of [runtime.package, ...imageLibrary])
      expect([name, packages[`node_modules/${name}`]?.integrity]).toEqual([
        name,
        expect.stringMatching(/^sha512-/),
      ])
})

describe.skipIf(python === '' || Bun.which('nfpm') === null)('a release of this machine’s platform', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
  const read = (name: string) => readFileSync(join(folder, name))
  beforeAll(async () => {
    const options = ['--out', folder, '--platform', platform, '--python', python]
    const names = ['--image', 'registry.example.com/latchkey', '--home', 'https://forge.example.com/latchkey']
    expect(await release(...options, ...names)).toEqual({
      code: 0,
      stderr: '',
    })
  }, 240_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('contains the executable, its packages, the image with its Compose files and chart, the templates, both clients, the bill of materials, the licences and all checksums', () => {
    const [deb, rpm] = process.arch === 'arm64' ? ['arm64', 'aarch64'] : ['amd64', 'x86_64']
    const files = [
      `latchkey-${version}-1.${rpm}.rpm`,
      ...(hasImage(ownPlatform())
        ? [`latchkey-${version}-compose.tar.gz`, `latchkey-${version}-image.tar`]
        : []),
      `latchkey-${version}-licences.txt`,
      `latchkey-${version}-${platform}`,
      `latchkey-${version}-templates.tar.gz`,
      `latchkey-${version}.cdx.json`,
      ...(hasImage(ownPlatform()) ? [`latchkey-${version}.tgz`] : []),
      `latchkey-links-${version}.tgz`,
      `latchkey_${version}_${deb}.deb`,
      `latchkey_links-${version}-py3-none-any.whl`,
    ]
    expect(readdirSync(folder).toSorted()).toEqual(['SHA256SUMS', ...files])
    const sums = files.map(
      (name) => `${new Bun.CryptoHasher('sha256').update(read(name)).digest('hex')}  ${name}\n`,
    )
    expect(read('SHA256SUMS').toString()).toBe(sums.join(''))
  })

  test('O1.3i: has a chart that starts its image by digest', () => {
    const values = run('tar', '-xOzf', join(folder, `latchkey-${version}.tgz`), 'latchkey/values.yaml')
    expect(values).toContain('repository: registry.example.com/latchkey\n')
    expect(values).toMatch(/^ {2}digest: sha256:[0-9a-f]{64}$/m)
  })

  test('O1.4a: has a formula with the hash of its executable', () => {
    const archive = join(folder, `latchkey-${version}-templates.tar.gz`)
    const formula = run('tar', '-xOzf', archive, 'Formula/latchkey.rb')
    const hash = new Bun.CryptoHasher('sha256').update(read(`latchkey-${version}-${platform}`)).digest('hex')
    if (platform.startsWith('linux')) expect(formula).toContain(`sha256 "${hash}"`)
    expect(formula).toContain('homepage "https://forge.example.com/latchkey"')
  })

  test('has an executable that runs', () => {
    const file = join(folder, `latchkey-${version}-${platform}`)
    expect(statSync(file).mode & 0o111).toBe(0o111)
    expect(Bun.spawnSync([file, '--version']).stdout.toString()).toBe(`${version}\n`)
  })

  test('O1.1g: has Compose files that start the image of the same release', () => {
    const list = ['tar', '-xzOf', join(folder, `latchkey-${version}-compose.tar.gz`)]
    const [index = ''] = run(
      'tar',
      '-xOf',
      join(folder, `latchkey-${version}-image.tar`),
      'index.json',
    ).match(/sha256:[0-9a-f]{64}/) ?? ['']
    for (const name of ['embedded.yaml', 'postgres.yaml']) {
      const text = run(...list, name)
      expect(text).toContain(`image: \${LATCHKEY_IMAGE:-registry.example.com/latchkey:${version}@${index}}\n`)
      expect(text).not.toContain('LATCHKEY_IMAGE:-latchkey')
    }
    expect(run(...list, 'Caddyfile')).toContain('reverse_proxy')
  })

  test(`O7.1: has an executable of at most ${LIMIT_MB} MB`, () => {
    expect(statSync(join(folder, `latchkey-${version}-${platform}`)).size / 1_000_000).toBeLessThan(LIMIT_MB)
  })

  test('O1.1: has an executable with the bytes of another build', () => {
    const released = read(`latchkey-${version}-${platform}`)
    expect(released.equals(readFileSync(another.path))).toBe(true)
  })

  test('lists the runtime and every package in it, but no development dependency', () => {
    const bill = JSON.parse(read(`latchkey-${version}.cdx.json`).toString()) as {
      bomFormat: string
      components: { name: string; version: string; purl: string }[]
    }
    expect(bill.bomFormat).toBe('CycloneDX')
    const names = new Set(bill.components.map(({ name }) => name))
    for (const name of ['bun', 'libc6', 'hono', 'kysely', 'zod', 'react', 'oidc-provider'])
      expect(names).toContain(name)
    for (const name of ['oxlint', 'knip', 'playwright-core']) expect(names).not.toContain(name)
  })

  test('contains the licences of its components', () => {
    const text = read(`latchkey-${version}-licences.txt`).toString()
    for (const name of ['hono', 'react', 'kysely'])
      expect(text).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'))
    expect(text).toContain('Permission is hereby granted')
    expect(text).toContain('Tabler Icons, © 2020-2026 Paweł Kuna')
    expect(text).not.toMatch(/^oxlint /m)
  })

  test('refuses a folder with content, and an unknown platform', async () => {
    const before = readdirSync(folder)
    expect(await release('--out', folder)).toEqual({ code: 2, stderr: `${folder} is not empty\n` })
    expect(readdirSync(folder)).toEqual(before)
    const { code, stderr } = await release('--out', join(folder, 'other'), '--platform', 'amiga-68k')
    expect(code).not.toBe(0)
    expect(stderr).toContain('There is no platform amiga-68k')
    rmSync(join(folder, 'other'), { recursive: true, force: true })
  })
})
