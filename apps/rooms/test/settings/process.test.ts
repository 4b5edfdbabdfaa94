import { freePort } from '@latchkey/http/free-port'
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LATCHKEY } from '../../../../scripts/latchkey-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-rooms-settings-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('C2 (R2.2): five wrong settings print five lines and exit with code 1, without opening a port, creating a file or printing a secret', async () => {
  // A free port, to notice if the process takes it.
  const port = await freePort()
  const child = Bun.spawn([...LATCHKEY, 'rooms'], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      ROOMS_PORT: String(port),
      ROOMS_DATABASE_URL: `sqlite:${join(folder, 'rooms.db')}`,
      AUTH_PROVIDER: 'oidc',
      AUTH_CLIENT_ID: 'rooms',
      AUTH_CLIENT_SECRET: ' hunter2',
      ALLOWED_HOSTS: 'http://rooms.example.com',
      OIDC_ISSUER: 'https://admin:hunter2@login.example.com',
      GUEST_ENABLED: 'yes',
      ROOMS_METRICS_TOKEN: 'hunter2',
    },
  })
  let isOpen = false
  const exited = child.exited.then(() => true)
  while (!(await Promise.race([exited, Bun.sleep(20).then(() => false)])))
    isOpen ||= await fetch(`http://127.0.0.1:${port}/api/health`).then(
      () => true,
      () => false,
    )
  const [out, err] = [await new Response(child.stdout).text(), await new Response(child.stderr).text()]
  expect(child.exitCode).toBe(1)
  expect(isOpen).toBe(false)
  expect(out).toBe('')
  expect(existsSync(join(folder, 'rooms.db'))).toBe(false)
  const lines = err.split('\n').filter((line) => line.startsWith('  '))
  expect(lines.map((line) => line.trim().split(' ')[0])).toEqual([
    'AUTH_CLIENT_SECRET',
    'OIDC_ISSUER',
    'GUEST_ENABLED',
    'ALLOWED_HOSTS',
    'ROOMS_METRICS_TOKEN',
  ])
  for (const line of lines) expect(line).toMatch(/must be .+\. Example: /)
  expect(err).not.toContain('hunter2')
})
