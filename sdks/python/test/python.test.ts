import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSqliteUrl } from '@latchkey/database/testing'
import { operationsNotCalled } from '../../testing/every-operation.ts'
import { examplesIn } from '../../testing/examples.ts'
import { outputOf } from '../../testing/output-of.ts'
import { RunningService } from '../../testing/running-service.ts'

/** A Python interpreter with httpx, pytest, mypy, ruff and hatchling; see CONTRIBUTING.md. */
const python = process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? ''
const SDK = join(import.meta.dir, '..')
/** Type checks take long on a busy machine. */
const TIMEOUT_MS = 180_000
// Leaves no caches in the tree.
const CLEAN = { PYTHONDONTWRITEBYTECODE: '1', MYPY_CACHE_DIR: '/dev/null', RUFF_NO_CACHE: 'true' }

describe.skipIf(python === '')('the Python client', () => {
  const newUrl = newSqliteUrl()
  const run = (...args: readonly string[]) => outputOf([python, ...args], { cwd: SDK, env: CLEAN })

  test(
    'passes its own tests, blocking and with asyncio',
    async () => {
      expect(await run('-m', 'pytest', '-q')).toMatch(/^\d{3} passed/m)
    },
    TIMEOUT_MS,
  )

  test(
    'has types without errors for mypy --strict',
    async () => {
      expect(await run('-m', 'mypy')).toContain('no issues found')
    },
    TIMEOUT_MS,
  )

  test(
    'has types without errors for pyright in strict mode',
    async () => {
      const output = await outputOf(['pyright', '--pythonpath', python], { cwd: SDK, env: CLEAN })
      expect(output).toContain('0 errors, 0 warnings')
    },
    TIMEOUT_MS,
  )

  test('is formatted and linted, including the generated code', async () => {
    expect(await run('-m', 'ruff', 'format', '--check', '.')).toContain('already formatted')
    expect(await run('-m', 'ruff', 'check', '.')).toContain('All checks passed')
  })

  test(
    'calls every operation of a running service',
    async () => {
      const service = new RunningService(await newUrl())
      await service.start()
      try {
        const env = {
          ...CLEAN,
          LINKS_URL: service.url,
          ANN_KEY: await service.newKey('ann@example.com'),
          BEN_KEY: await service.newKey('ben@example.com'),
          READ_KEY: await service.newKey('ann@example.com', 'read'),
        }
        const output = await outputOf([python, '-m', 'pytest', '-q', 'tests/live'], { cwd: SDK, env })
        expect(output).toMatch(/^28 passed/m)
        expect(operationsNotCalled(service.called)).toEqual([])
      } finally {
        await service.stop()
      }
    },
    TIMEOUT_MS,
  )
})

describe.skipIf(python === '')('the wheel of the Python client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sdk-'))
  const project = join(folder, 'project')
  const own = join(project, 'venv/bin/python')
  const service = new RunningService(`sqlite:${join(folder, 'links.db')}`)
  let wheel: string

  // Built from a copy, which keeps the tree clean.
  beforeAll(async () => {
    const copy = join(folder, 'sdk')
    cpSync(SDK, copy, { recursive: true })
    await outputOf([python, '-m', 'hatchling', 'build', '-t', 'wheel', '-d', folder], { cwd: copy })
    wheel = readdirSync(folder).find((name) => name.endsWith('.whl')) ?? ''
    await outputOf([python, '-m', 'venv', join(project, 'venv')], { cwd: folder })
    // The new environment shares httpx with that of the tests, which avoids a download.
    const places = await outputOf([own, '-c', SITE], { cwd: folder })
    const shared = await outputOf([python, '-c', SITE], { cwd: folder })
    await Bun.write(join(places.trim(), 'shared.pth'), shared)
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', '--disable-pip-version-check']
    await outputOf([own, ...pip, join(folder, wheel)], { cwd: project })
    await service.start()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('contains only the package with its types and its licence', async () => {
    const list = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
    const files = (await outputOf([own, '-c', list, join(folder, wheel)], { cwd: project }))
      .trim()
      .split('\n')
    expect(wheel).toMatch(/^latchkey_links-\d+\.\d+\.\d+-py3-none-any\.whl$/)
    expect(files).toContain('latchkey_links/py.typed')
    expect(files).toContain('latchkey_links/_generated/links.py')
    const others = files.filter((name) => !/^latchkey_links\/(_generated\/)?(\w+\.py|py\.typed)$/.test(name))
    expect(others.every((name) => /\.dist-info\/(METADATA|WHEEL|RECORD|licenses\/LICENSE)$/.test(name))).toBe(
      true,
    )
  })

  test('has the output of the README in an empty project, and is typed there', async () => {
    const examples = examplesIn(readFileSync(join(SDK, 'README.md'), 'utf8'), 'python')
    const code = examples.map((each) => each.code).join('\n')
    await Bun.write(join(project, 'readme.py'), code.replaceAll('http://localhost:8080', service.url))
    const env = { ...CLEAN, LATCHKEY_KEY: await service.newKey('ann@example.com') }
    const output = await outputOf([own, 'readme.py'], { cwd: project, env })
    expect(output.trim().split('\n')).toEqual(examples.flatMap(({ prints }) => prints))
    const strict = ['-m', 'mypy', '--strict', '--python-executable', own, 'readme.py']
    expect(await outputOf([python, ...strict], { cwd: project, env })).toContain('no issues found')
  })
})

/** A program that prints the folder of an environment's packages. */
const SITE = 'import sysconfig; print(sysconfig.get_path("purelib"))'
