import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificate } from '../certificate.ts'

const PATH = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`
export const NGINX = Bun.which('nginx', { PATH }) ?? undefined

/** nginx with a new certificate and the `server` block of the documentation. */
export async function startNginx(
  server: (files: { certificate: string; key: string }) => string,
): Promise<{ stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-nginx-'))
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  await createCertificate('rooms.localhost', { certificate, key })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
    events { worker_connections 64; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
      ${server({ certificate, key })}
    }`,
  )
  const nginx = Bun.spawn([NGINX ?? '', '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const deadlineMs = performance.now() + 10_000
  while (!existsSync(join(folder, 'pid'))) {
    if (nginx.exitCode !== null || performance.now() > deadlineMs)
      throw new Error(`nginx does not start: ${await new Response(nginx.stderr).text()}`)
    await Bun.sleep(10)
  }
  return {
    async stop() {
      nginx.kill('SIGTERM')
      await nginx.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
