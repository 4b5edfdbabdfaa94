import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { LATCHKEY } from '../../../../scripts/latchkey-command.ts'

const CONFIGURATION = join(import.meta.dir, '../../../../deploy/nginx/latchkey.conf')
const nginx = Bun.which('nginx') ?? (existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : undefined)
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

const folder = mkdtempSync(join(tmpdir(), 'latchkey-nginx-'))
const running: Bun.Subprocess[] = []
afterAll(async () => {
  for (const child of running) child.kill()
  await Promise.all(running.map((child) => child.exited))
  rmSync(folder, { recursive: true, force: true })
})

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/robots.txt`, { keepalive: false }).then(
    ({ ok }) => ok,
    () => false,
  )

/** A process whose port answers. */
async function start(command: readonly string[], port: number, env: Record<string, string> = {}) {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  running.push(child)
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended with ${child.exitCode}`)
    await Bun.sleep(20)
  }
  return child
}

function startNode(name: string, port: number) {
  return start([...LATCHKEY, 'links'], port, {
    LINKS_PORT: String(port),
    LINKS_DATABASE_URL: `sqlite:${name}.db`,
    LINKS_JOURNAL: `sqlite:${name}-journal.db`,
  })
}

/** The shipped file, with ports of this test and without TLS. */
async function startNginx(nodes: readonly [number, number], port: number) {
  const others = [await freePort(), await freePort()]
  const configuration = readFileSync(CONFIGURATION, 'utf8')
    .replace('10.0.0.11:8080', `127.0.0.1:${nodes[0]}`)
    .replace('10.0.0.12:8080', `127.0.0.1:${nodes[1]}`)
    .replace('listen 443 ssl;', `listen ${port};`)
    .replace('listen 443 ssl;', `listen ${others[0]};`)
    .replace('listen 80;', `listen ${others[1]};`)
    .replaceAll(/ssl_certificate(_key)? .*;/g, '')
  const paths = TEMPORARY.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ')
  const path = join(folder, 'nginx.conf')
  mkdirSync(join(folder, 'proxy'), { recursive: true })
  writeFileSync(
    path,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {} http { access_log off; ${paths} ${configuration} }`,
  )
  const asRoot = process.getuid?.() === 0 ? ['-g', 'user root;'] : []
  return start([nginx ?? '', '-c', path, ...asRoot], port)
}

describe.skipIf(nginx === undefined)('deploy/nginx/latchkey.conf', () => {
  test('O4.2e: no request is lost while the nodes behind it restart in turn', async () => {
    const ports = [await freePort(), await freePort()] as const
    const nodes = [await startNode('a', ports[0]), await startNode('b', ports[1])]
    const port = await freePort()
    await startNginx(ports, port)
    const statuses = new Map<string, number>()
    let isOver = false
    // A POST of an unknown slug is refused by Links itself, whichever node gets it.
    const askOn = async (method: string) => {
      while (!isOver) {
        const { status } = await fetch(`http://127.0.0.1:${port}/none`, { method })
        const seen = `${method} ${status}`
        statuses.set(seen, (statuses.get(seen) ?? 0) + 1)
        await Bun.sleep(10)
      }
    }
    const clients = ['POST', 'GET', 'POST', 'GET'].map(askOn)
    for (const [index, name] of ['a', 'b', 'a', 'b'].entries()) {
      const place = index % 2
      nodes[place]?.kill('SIGTERM')
      expect(await nodes[place]?.exited).toBe(0)
      nodes[place] = await startNode(name, ports[place === 0 ? 0 : 1])
    }
    isOver = true
    await Promise.all(clients)
    expect([...statuses.keys()].toSorted()).toEqual(['GET 404', 'POST 405'])
  }, 120_000)
})
