import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificate } from '../certificate.ts'
import { until } from '../until.ts'

export const CADDY = Bun.which('caddy') ?? undefined

/** Caddy with a new certificate and the sites of the documentation, one of which is at `origin`. */
export async function startCaddy(
  sites: (tls: string) => string,
  origin: string,
): Promise<{ stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-caddy-'))
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  await createCertificate('localhost', { certificate, key })
  const file = join(folder, 'Caddyfile')
  const options = '{\n\tadmin off\n\tauto_https disable_redirects\n}\n'
  writeFileSync(file, `${options}${sites(`tls ${certificate} ${key}`)}`)
  const caddy = Bun.spawn([CADDY ?? '', 'run', '--config', file, '--adapter', 'caddyfile'], {
    stdout: 'ignore',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_DATA_HOME: folder },
  })
  await until(async () => {
    if (caddy.exitCode !== null)
      throw new Error(`Caddy does not start: ${await new Response(caddy.stderr).text()}`)
    return fetch(origin, { tls: { rejectUnauthorized: false } }).then(
      () => true,
      () => false,
    )
  })
  return {
    async stop() {
      caddy.kill('SIGTERM')
      await caddy.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
