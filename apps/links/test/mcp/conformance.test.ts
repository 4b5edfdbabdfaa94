import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sharedTestLinks } from '../testing.ts'
import { listenOnPort } from './assistants.ts'

// Whole services and real clients, on machines that are busy with other tests.
setDefaultTimeout(30_000)

const folder = mkdtempSync(join(tmpdir(), 'latchkey-conformance-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Scenarios of features that this server lacks: prompts, resources, logging, and the example tools
 * of the suite.
 */
const NOT_OFFERED = [
  'logging-set-level',
  'completion-complete',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-with-progress',
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'resources-subscribe',
  'resources-unsubscribe',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
]

const require = createRequire(import.meta.url)
const suite = join(
  dirname(require.resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)
/** `.ci/run` installs it. Its own front end would make it the largest package here. */
const inspector = Bun.which('mcp-inspector')

async function run(command: string[]): Promise<{ code: number; out: string; problems: string }> {
  const child = Bun.spawn(command, {
    stdout: 'pipe',
    stderr: 'pipe',
    cwd: folder,
    env: { ...process.env, HOME: folder },
  })
  const [out, problems, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, problems }
}

describe('public test suites for servers', () => {
  const links = sharedTestLinks(async () => `sqlite:${join(folder, 'links.db')}`)
  const { url } = listenOnPort(links)

  test('L19.1b: the public conformance suite passes in all features of this server', async () => {
    const baseline = join(folder, 'baseline.yml')
    writeFileSync(baseline, `server:\n${NOT_OFFERED.map((name) => `  - ${name}\n`).join('')}`)
    const { code, out } = await run([
      process.execPath,
      suite,
      'server',
      '--url',
      url().href,
      '--expected-failures',
      baseline,
    ])
    expect([code, out]).toEqual([0, expect.stringContaining('✓ dns-rebinding-protection')])
    for (const name of [
      'server-initialize',
      'ping',
      'tools-list',
      'tools-call-simple-text',
      'tools-call-error',
    ])
      expect(out).toContain(`✓ ${name}`)
    expect(out).toContain('✓ server-sse-multiple-streams')
  }, 60_000)

  test.skipIf(inspector === null)(
    'the command line of the Inspector lists and calls tools',
    async () => {
      const base = [process.execPath, inspector ?? '', '--cli', url().href, '--transport', 'http', '--method']
      const listed = await run([...base, 'tools/list'])
      expect([listed.code, listed.problems]).toEqual([0, expect.any(String)])
      expect((JSON.parse(listed.out) as { tools: unknown[] }).tools).toHaveLength(50)
      const call = [
        'tools/call',
        '--tool-name',
        'create_link',
        '--tool-arg',
        'url=https://example.com/inspector',
      ]
      const called = await run([...base, ...call])
      expect(called.out).toContain('"created_via": "mcp"')
      expect(called.code).toBe(0)
    },
    60_000,
  )
})
