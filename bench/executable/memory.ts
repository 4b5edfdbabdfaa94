import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Measures the memory of idle services, as the kernel counts it: private pages of all processes, and
 * once the pages that they share: `bun bench/executable/memory.ts FILE [SECONDS]`.
 */
const [, , file, seconds = '30'] = Bun.argv
if (file === undefined) throw new Error('Name the executable')

const PROVIDER = {
  ALLOWED_HOSTS: 'http://localhost:8081',
  AUTH_PROVIDER: 'oidc',
  AUTH_CLIENT_ID: 'latchkey',
  AUTH_CLIENT_SECRET: 'of-a-bench',
  OIDC_ISSUER: 'https://login.example.com',
}

console.log(`idle for ${seconds} s:`)
console.log(`start, both services with the demo provider: ${await measure(['start'])} MB`)
console.log(`links and rooms, a process each: ${await measure(['links'], ['rooms'])} MB`)

async function measure(...commands: string[][]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-memory-'))
  const children = commands.map((command) =>
    Bun.spawn([resolve(file ?? ''), ...command], {
      cwd: folder,
      env: { LINKS_PORT: '0', ROOMS_PORT: '0', ...(command.includes('rooms') && PROVIDER) },
      stdout: 'ignore',
      stderr: 'ignore',
    }),
  )
  await Bun.sleep(Number(seconds) * 1000)
  const rollups = children.map(({ pid }) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  const privateMb = rollups.map((text) => sum(text, 'Private')).reduce((a, b) => a + b)
  const sharedMb = Math.max(...rollups.map((text) => sum(text, 'Shared')))
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(children.map(({ exited }) => exited))
  rmSync(folder, { recursive: true, force: true })
  return `${(privateMb + sharedMb).toFixed(0)} (${privateMb.toFixed(0)} private)`
}

/** Clean and dirty pages of a kind, in MB. */
function sum(rollup: string, kind: string): number {
  const pages = [...rollup.matchAll(new RegExp(`^${kind}_(?:Clean|Dirty):\\s+(\\d+) kB`, 'gm'))]
  return pages.reduce((total, [, kib]) => total + (Number(kib) * 1024) / 1e6, 0)
}
