import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { Workspace } from './running.ts'

const NGINX = Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` })
/** Stands for a public name: it reaches this machine, and is not a loopback name. */
const PUBLIC = '0.0.0.0'

describe.skipIf(NGINX === null)('Links behind nginx, with LINKS_ACCESS unset', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-exposure-'))
  let ports: { links: number; bare: number; forwarding: number }
  let nginx: Bun.Subprocess
  beforeAll(async () => {
    ports = { links: await freePort(), bare: await freePort(), forwarding: await freePort() }
    const server = (port: number, header: string) =>
      `server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${ports.links}; ${header} } }`
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
      ${server(ports.bare, '')}
      ${server(ports.forwarding, 'proxy_set_header X-Forwarded-For $remote_addr;')} }`,
    )
    const log = join(folder, 'error.log')
    nginx = Bun.spawn([NGINX ?? '', '-e', log, '-c', join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
  })
  afterAll(async () => {
    nginx.kill()
    await nginx.exited
    rmSync(folder, { recursive: true, force: true })
  })

  async function startBehind(port: number, ready: RegExp) {
    const baseUrl = `http://${PUBLIC}:${port}`
    const workspace = new Workspace({ LINKS_PORT: String(ports.links), LINKS_BASE_URL: baseUrl })
    const service = await workspace.start(['links'], ready)
    const doctor = await workspace.run(['doctor'])
    const stranger = await fetch(`${baseUrl}/_/admin/api/settings`)
    await service.stop()
    workspace.remove()
    return { doctor, status: stranger.status, log: service.out }
  }

  test('the start and doctor report that a bare proxy_pass opens the admin side', async () => {
    const { doctor, status, log } = await startBehind(ports.bare, /"level":"error"/)
    expect(status).toBe(200)
    expect(log).toContain('admin side: reachable without authentication')
    expect(doctor.code).toBe(1)
    expect(doctor.out).toMatch(
      /fail  links  admin\s.*answers 200 at \/_\/admin\/api\/settings without authentication: set LINKS_ACCESS/,
    )
  })

  test('doctor reports the admin side as closed once the proxy sends a forwarding header', async () => {
    const { doctor, status, log } = await startBehind(ports.forwarding, /"listening"/)
    expect(status).toBe(403)
    expect(log).not.toContain('reachable without authentication')
    expect(doctor.out).toMatch(/ok    links  admin\s.*refuses unauthenticated requests/)
    expect(doctor.code).toBe(0)
  })
})
