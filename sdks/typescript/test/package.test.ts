import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { examplesIn } from '../../testing/examples.ts'
import { outputOf } from '../../testing/output-of.ts'
import { RunningService } from '../../testing/running-service.ts'

const SDK = join(import.meta.dir, '..')
const CHROMIUM = process.env['LATCHKEY_TEST_CHROMIUM'] ?? ''
/** Commands of further runtimes, separated by commas: an older Node, `deno run -A`. */
const OTHERS = (process.env['LATCHKEY_TEST_RUNTIMES'] ?? '')
  .split(',')
  .filter((command) => command !== '')
  .map((command) => command.trim().split(' '))
const { examples, prints } = readExamples()

describe('the packed client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sdk-'))
  const project = join(folder, 'project')
  const service = new RunningService(`sqlite:${join(folder, 'links.db')}`)
  const installed = join(project, 'node_modules/latchkey-links')
  let files: string[]

  // Packed from a copy, which keeps the tree clean.
  beforeAll(async () => {
    const copy = join(folder, 'sdk')
    cpSync(SDK, copy, { recursive: true, filter: (from) => !/\/(dist|node_modules)$/.test(from) })
    const packed = await outputOf(['npm', 'pack', '--json', '--pack-destination', folder], { cwd: copy })
    const [{ filename, files: inside }] = JSON.parse(packed.slice(packed.indexOf('[')))
    files = (inside as { path: string }[]).map(({ path }) => path)
    await Bun.write(join(project, 'package.json'), '{"type":"module","private":true}')
    await outputOf(['npm', 'install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], {
      cwd: project,
    })
    writeFileSync(join(project, 'readme.ts'), examples)
    await service.start((path) => servePackage(path, installed))
  }, 180_000)
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const readme = async (command: readonly string[]) => {
    const key = await service.newKey('ann@example.com')
    writeFileSync(join(project, 'readme.js'), plain(examples, service.url))
    return (await outputOf([...command, 'readme.js'], { cwd: project, env: { LATCHKEY_KEY: key } }))
      .trim()
      .split('\n')
  }
  const forget = async () => {
    const key = await service.newKey('ann@example.com')
    const headers = { Authorization: `Bearer ${key}` }
    await fetch(`${service.url}/_/api/links/1?force=true`, { method: 'DELETE', headers })
    const left = (await (await fetch(`${service.url}/_/api/links`, { headers })).json()) as { id: number }[]
    for (const { id } of left) await fetch(`${service.url}/_/api/links/${id}`, { method: 'DELETE', headers })
  }

  test('contains only the files for running and typing it', () => {
    expect(files).toContain('dist/index.js')
    expect(files).toContain('dist/index.d.ts')
    expect(
      files.filter((path) => !/^(dist\/.*\.(js|d\.ts)|README\.md|LICENSE|package\.json)$/.test(path)),
    ).toEqual([])
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(Object.keys(manifest)).not.toContain('dependencies')
  })

  test('satisfies publint', async () => {
    expect(
      await outputOf(['publint', 'run', installed, '--strict', '--pack', 'false'], { cwd: SDK }),
    ).toContain('All good')
  })

  test.each([
    ['bundler', 'esnext'],
    ['nodenext', 'nodenext'],
  ])('types the examples of its README, resolved as %s does', async (resolution, module) => {
    const flags = ['--noEmit', '--strict', '--target', 'es2024', '--lib', 'es2024,dom,esnext', '--types', '']
    const options = ['--moduleResolution', resolution, '--module', module, '--ignoreConfig']
    writeFileSync(join(project, 'process.d.ts'), 'declare const process: { env: Record<string, string> }\n')
    expect(await outputOf(['tsc', ...flags, ...options, 'readme.ts', 'process.d.ts'], { cwd: project })).toBe(
      '',
    )
  })

  test.each([['node'], ['bun'], ...OTHERS])('prints what the README says, in %s', async (...command) => {
    expect(await readme(command)).toEqual(prints)
    await forget()
  })

  test.skipIf(CHROMIUM === '')('prints the same in a browser', async () => {
    const key = await service.newKey('ann@example.com')
    writeFileSync(
      join(installed, 'readme.js'),
      plain(examples, service.url)
        .replaceAll('"latchkey-links"', '"/sdk/dist/index.js"')
        .replaceAll('process.env.LATCHKEY_KEY', JSON.stringify(key)),
    )
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      const output: string[] = []
      page.on('console', (message) => message.type() === 'log' && output.push(message.text()))
      page.on('pageerror', (error) => output.push(error.message))
      await page.goto(`${service.url}/sdk/page.html`)
      await page
        .waitForFunction('globalThis.finished', undefined, { timeout: 15_000 })
        .catch(() => output.push('not finished'))
      expect(output).toEqual(prints)
    } finally {
      await browser.close()
    }
  })
})

/** All examples in one module, with each import once. */
function readExamples(): { examples: string; prints: string[] } {
  const all = examplesIn(readFileSync(join(SDK, 'README.md'), 'utf8'), 'ts')
  return { examples: all.map(({ code }) => code).join('\n'), prints: all.flatMap((each) => each.prints) }
}

/** The code as JavaScript that calls the service of this test. */
function plain(code: string, url: string): string {
  const transpiled = new Bun.Transpiler({ loader: 'ts' }).transformSync(code)
  return transpiled.replaceAll('http://localhost:8080', url)
}

const PAGE = `<!doctype html><title>SDK</title>
<script type="module">await import('/sdk/readme.js'); globalThis.finished = true</script>`

/** Serves a page and the installed package from the origin of the service. */
function servePackage(path: string, installed: string): Response | undefined {
  if (path === '/sdk/page.html') return new Response(PAGE, { headers: { 'content-type': 'text/html' } })
  if (!path.startsWith('/sdk/')) return undefined
  return new Response(Bun.file(join(installed, path.slice('/sdk/'.length))))
}
