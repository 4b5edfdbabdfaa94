import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { declarations as links } from '@latchkey/links/settings/declarations'
import { declarations as rooms } from '@latchkey/rooms/settings/declarations'
import manifest from '../../package.json' with { type: 'json' }
import { filledTemplates } from '../../../../scripts/release/templates.ts'

const ROOT = join(import.meta.dir, '../../../..')
const FOLDER = join(ROOT, 'deploy/catalogues')
const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8')
const tools = process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? ''
const SETTINGS = new Set<string>([...Object.values(links), ...Object.values(rooms)].map(({ name }) => name))

describe.each(['casaos/docker-compose.yml', 'coolify/latchkey.yaml'])('deploy/catalogues/%s', (path) => {
  const compose = Bun.YAML.parse(read(path)) as {
    services: Record<string, { image: string; environment: string[] | Record<string, string> }>
  }

  test.skipIf(tools === '')('O1.4: is valid to the Compose specification', () => {
    const program =
      'import sys; from compose_spec import PyCompose; PyCompose.from_json(sys.stdin.read()).to_spec()'
    const { exitCode, stderr } = Bun.spawnSync([tools, '-c', program], {
      stdin: Buffer.from(JSON.stringify(compose)),
    })
    expect([stderr.toString(), exitCode]).toEqual(['', 0])
  })

  test('O1.4: starts this version, with settings that exist', () => {
    for (const { image, environment } of Object.values(compose.services)) {
      expect(image).toBe(`latchkey:${manifest.version}`)
      const names = Array.isArray(environment)
        ? environment.map((each) => each.split('=')[0] ?? '')
        : Object.keys(environment)
      // Names that Coolify replaces.
      const unknown = names.filter((name) => !SETTINGS.has(name) && !name.startsWith('SERVICE_URL_'))
      expect(unknown).toEqual([])
    }
  })
})

test('O1.4: the entry for awesome-selfhosted keeps the rules of its list', () => {
  const entry = Bun.YAML.parse(read('awesome-selfhosted/latchkey.yml')) as Record<string, string | string[]>
  for (const name of [
    'name',
    'description',
    'website_url',
    'source_code_url',
    'licenses',
    'platforms',
    'tags',
  ])
    expect(entry[name]?.length).toBeGreaterThan(0)
  expect(entry['description']).toMatch(/^[A-Z].{0,248}\.$/)
})

test('O1.4: the entry for TrueNAS asks each question once, in a group that it declares', () => {
  interface Question {
    variable: string
    group: string
  }
  const { groups, questions } = Bun.YAML.parse(read('truenas/questions.yaml')) as {
    groups: { name: string }[]
    questions: Question[]
  }
  const names = new Set(groups.map(({ name }) => name))
  expect(questions.filter(({ group }) => !names.has(group))).toEqual([])
  const variables = questions.map(({ variable }) => variable)
  expect(new Set(variables).size).toBe(variables.length)
  // The values of its test, and of the questions, are those that the template takes.
  const values = Bun.YAML.parse(read('truenas/templates/test_values/basic-values.yaml')) as object
  expect(Object.keys(values)).toContainValues(variables)
  const template = read('truenas/templates/docker-compose.yaml')
  for (const [, name = ''] of template.matchAll(/values\.(?!consts)(\w+)/g)) expect(variables).toContain(name)
})

test('O1.4: the manifest for YunoHost is of this version', () => {
  expect(Bun.TOML.parse(read('yunohost/manifest.toml'))).toMatchObject({
    id: 'latchkey',
    version: `${manifest.version}~ynh1`,
    upstream: { license: 'MIT' },
  })
  expect(Bun.TOML.parse(read('yunohost/apps.toml'))).toHaveProperty('latchkey.state', 'inprogress')
})

describe('templates of a release', () => {
  const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
  const hashes = new Map(platforms.map((name, at) => [name, String(at + 1).repeat(64)]))
  const home = 'https://forge.example.org/latchkey'
  const copies = filledTemplates({ home, image: 'registry.example.org/latchkey', hashes })

  test('O1.4a: name the home, the image and the hashes of the release, and nothing else', () => {
    expect(copies.size).toBeGreaterThan(8)
    for (const [path, text] of copies) {
      expect([path, text]).toEqual([path, expect.not.stringMatching(/example\.com\/latchkey|A{43}=|0{64}/)])
      expect([path, text]).toEqual([path, expect.not.stringMatching(/(?:image|repository): latchkey/)])
    }
    expect(copies.get('deploy/catalogues/coolify/latchkey.yaml')).toContain(
      `image: registry.example.org/latchkey:${manifest.version}`,
    )
  })

  test.each([
    ['Formula/latchkey.rb', (hash: string) => hash],
    ['flake.nix', (hash: string) => `sha256-${Buffer.from(hash, 'hex').toString('base64')}`],
  ])('O1.4a: %s has the hash of each executable beside its name', (path, form) => {
    const text = copies.get(path) ?? ''
    for (const [platform, hash] of hashes) {
      const [, after = ''] = text.split(`${platform}"`)
      expect(/sha256-[\w+/=]{44}|\b[0-9a-f]{64}\b/.exec(after)?.[0]).toBe(form(hash))
    }
    expect(text).toContain(`${home}/releases/download/v${manifest.version}`)
    expect(text).toContain(`"${manifest.version}"`)
  })
})
