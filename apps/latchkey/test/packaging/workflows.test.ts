import { describe, expect, test } from 'bun:test'
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

const ROOT = join(import.meta.dir, '../../../..')
const FOLDER = join(ROOT, '.github/workflows')
const hasLinter = Bun.which('actionlint') !== null

interface Step {
  uses?: string
  run?: string
}

interface Job {
  permissions: Record<string, string>
  uses?: string
  steps?: Step[]
}

interface Workflow {
  permissions: object
  jobs: Record<string, Job>
}

const texts = new Map(readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]))
const workflows = [...texts].map(([file, text]) => ({ file, ...(Bun.YAML.parse(text) as Workflow) }))
const jobs = workflows.flatMap((workflow) =>
  Object.entries(workflow.jobs).map(([id, job]) => ({ name: `${workflow.file}: ${id}`, ...job })),
)
const steps = jobs.flatMap((job) => job.steps ?? [])

test.skipIf(!hasLinter)('O1.6: actionlint finds nothing wrong with the workflows', () => {
  const { exitCode, stdout } = Bun.spawnSync(['actionlint', '-no-color'], { cwd: ROOT })
  expect([stdout.toString(), exitCode]).toEqual(['', 0])
})

test('O1.6a: every action is named by the hash of a commit, with its version beside it', () => {
  const lines = [...texts.values()].flatMap((text) => text.match(/^.*\buses: (?!\.\/).*$/gm) ?? [])
  expect(lines.length).toBeGreaterThan(5)
  for (const line of lines) expect(line).toMatch(/uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test('O1.6b: no job may write anything but that which publishes', () => {
  for (const { permissions } of workflows) expect(permissions).toEqual({})
  const writers = jobs.filter(({ permissions }) => Object.values(permissions).includes('write'))
  expect(writers.map(({ name }) => name)).toEqual(['release.yml: publish'])
  for (const { permissions } of jobs) expect(permissions['contents']).toBeOneOf(['read', 'write'])
  for (const text of texts.values()) expect(text).not.toMatch(/pull_request_target|\$\{\{ *secrets\./)
})

describe('O1.6c: every command of a workflow is a script of the repository', () => {
  const scripts = steps.flatMap(({ run }) => (run === undefined ? [] : [run.split(' ')[0] ?? '']))

  test('with words as arguments, and nothing for a shell', () => {
    expect([...new Set(scripts)].toSorted()).toEqual([
      '.ci/build-release',
      '.ci/publish-release',
      '.ci/release-tools',
      '.ci/run',
    ])
    for (const { run } of steps) expect(run ?? '').toMatch(/^[\w./ -]*$/)
    for (const script of scripts) accessSync(join(ROOT, script), constants.X_OK)
  })

  test('which .ci/run runs, where it installs tools', () => {
    expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/^\.ci\/release-tools /m)
  })
})

/** A folder for the PATH, with programs that only write their arguments to a file. */
class Programs {
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-programs-'))
  readonly #calls = join(this.folder, 'calls')

  constructor(...names: readonly string[]) {
    for (const name of names) {
      writeFileSync(this.#path(name), `#!/bin/sh\necho "${name} $*" >>"${this.#calls}"\n`)
      chmodSync(this.#path(name), 0o755)
    }
  }

  get calls(): string[] {
    return readFileSync(this.#calls, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean)
  }

  run(script: string, args: readonly string[], env: Record<string, string>) {
    const PATH = `${this.folder}:${process.env['PATH']}`
    const { exitCode, stderr } = Bun.spawnSync([join(ROOT, script), ...args], {
      cwd: this.folder,
      env: { HOME: this.folder, PATH, ...env },
    })
    return { code: exitCode, error: stderr.toString() }
  }

  #path(name: string): string {
    return join(this.folder, name)
  }
}

describe('.ci/build-release', () => {
  const names = {
    IMAGE: 'ghcr.io/Some-Owner/latchkey',
    PROJECT: 'https://forge.example.com/Some-Owner/latchkey',
  }

  test('O1.6d: builds the release of the tag, with an image whose name is in lower case', () => {
    const programs = new Programs('npm')
    mkdirSync(join(programs.folder, 'tools/bin'), { recursive: true })
    const tools = join(programs.folder, 'tools')
    const result = programs.run('.ci/build-release', [tools, 'dist'], {
      TAG: `v${manifest.version}`,
      ...names,
    })
    expect(result).toEqual({ code: 0, error: '' })
    expect(programs.calls).toEqual([
      `npm run release -- --out dist --python ${tools}/bin/python --image ghcr.io/some-owner/latchkey --home ${names.PROJECT}`,
    ])
  })

  test('O1.6d: refuses the tag of another version', () => {
    const programs = new Programs('npm')
    const { code, error } = programs.run('.ci/build-release', ['tools', 'dist'], { TAG: 'v9.9.9', ...names })
    expect([code, error]).toEqual([1, `The tag is v9.9.9, but package.json says ${manifest.version}\n`])
    expect(programs.calls).toEqual([])
  })
})

describe('.ci/publish-release', () => {
  const environment = {
    TAG: 'v1.2.3',
    IMAGE: 'ghcr.io/Some-Owner/latchkey',
    ACTOR: 'ann',
    GH_TOKEN: 'of-ann',
    GH_REPO: 'Some-Owner/latchkey',
  }

  function release(programs: Programs): string {
    const folder = join(programs.folder, 'dist')
    mkdirSync(folder)
    writeFileSync(join(folder, 'latchkey-1.2.3-image.tar'), 'image')
    const hash = new Bun.CryptoHasher('sha256').update('image').digest('hex')
    writeFileSync(join(folder, 'SHA256SUMS'), `${hash}  latchkey-1.2.3-image.tar\n`)
    return folder
  }

  test('O1.6e: publishes the image and a draft of the release', () => {
    const programs = new Programs('gh', 'skopeo')
    const folder = release(programs)
    expect(programs.run('.ci/publish-release', [folder], environment)).toEqual({ code: 0, error: '' })
    expect(programs.calls).toEqual([
      'skopeo login --username ann --password-stdin ghcr.io',
      `skopeo copy --all oci-archive:${folder}/latchkey-1.2.3-image.tar docker://ghcr.io/some-owner/latchkey:1.2.3`,
      `gh release create v1.2.3 --draft --verify-tag --title Latchkey 1.2.3 --notes-file CHANGELOG.md ${folder}/SHA256SUMS ${folder}/latchkey-1.2.3-image.tar`,
    ])
  })

  test('O1.6e: publishes nothing whose checksum is wrong', () => {
    const programs = new Programs('gh', 'skopeo')
    const folder = release(programs)
    writeFileSync(join(folder, 'latchkey-1.2.3-image.tar'), 'another')
    expect(programs.run('.ci/publish-release', [folder], environment).code).not.toBe(0)
    expect(programs.calls).toEqual([])
  })
})
