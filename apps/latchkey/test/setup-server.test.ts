// The files that setup writes run both services, behind the proxy that it configures.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HAS_NETWORKS } from './packaging/network.ts'

const NAMESPACES = ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

interface Step {
  step: string
  code: number
  out: string
  [name: string]: unknown
}

describe.skipIf(!HAS_NETWORKS)('a server that setup configured with', () => {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-server-'))
  afterAll(() => rmSync(root, { recursive: true }))

  async function stepsWith(proxy: string): Promise<Record<string, Step>> {
    const folder = mkdtempSync(join(root, `${proxy}-`))
    const scenario = join(import.meta.dir, 'setup-scenario.ts')
    const child = Bun.spawn([...NAMESPACES, process.execPath, scenario, folder, proxy], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    expect(await child.exited, err).toBe(0)
    const steps = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Step)
    return Object.fromEntries(steps.map((step) => [step.step, step]))
  }

  test.each([['caddy'], ['nginx']])(
    'O2.3, O2.3f, O2.4, O2.5: %s serves both with one sign-in, has not drifted, and says what then drifts',
    async (proxy: string) => {
      const steps = await stepsWith(proxy)
      const outOf = (step: string) => steps[step]?.out ?? ''
      expect([outOf('setup'), steps['setup']?.code]).toEqual([
        expect.stringContaining('Setup is complete.'),
        0,
      ])
      expect(outOf('check before start')).toContain('https://go.setup.test does not answer')
      expect([steps['check']?.code, outOf('check')]).toEqual([
        0,
        expect.stringContaining('Nothing has drifted.'),
      ])
      expect(outOf('setup again')).toContain('All files are as they should be.')
      expect(outOf('setup again')).toMatch(/ok +ports +443 is used by what will use it/)
      expect(steps['pages']).toMatchObject({
        isForgedAdmitted: false,
        api: 401,
        metrics: 404,
        admin: ['https://go.setup.test/_/admin/dashboard', 200],
        session: 200,
      })
      const { out, code } = steps['check after drift'] ?? { out: '', code: 0 }
      expect(code).toBe(2)
      expect(out).toMatch(/warn +files +\/etc\/latchkey\/links\.env was changed since setup/)
      expect(out).toMatch(/fail +rooms +does not answer at http:\/\/127\.0\.0\.1:8081/)
      expect(out).toMatch(/fail +provider +oidc /)
      expect(steps['end']?.['journal']).toBe(false)
    },
    120_000,
  )
})
