import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { Composed, TOKEN } from './composed.ts'
import { testExecutable } from './executable.ts'
import { HAS_NAMESPACES } from './image.ts'
import { HAS_NETWORKS } from './network.ts'

const wide = { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }
const isPossible =
  HAS_NETWORKS &&
  HAS_NAMESPACES &&
  existsSync('/usr/lib/postgresql') &&
  ['caddy', 'redis-server', 'runuser'].every((program) => Bun.which(program, wide) !== null)
const executable = testExecutable()

interface Answer {
  status: number
  location: string | null
  body: string
}

describe.skipIf(!isPossible).each(['embedded', 'postgres'])(
  'the services of deploy/compose/%s.yaml',
  (name) => {
    let composed: Composed
    let nodes: string[]
    let key: string

    beforeAll(async () => {
      composed = new Composed(name, executable.path)
      await composed.start()
      nodes = Object.keys(composed.compose.services).filter((each) => /^(links|rooms)/.test(each))
    }, 240_000)
    afterAll(() => composed.remove(), 30_000)

    /** A browser's request to the proxy: by HTTPS, with the host of the service. */
    function ask(host: string, path: string, init: RequestInit = {}, scheme = 'https'): Promise<Answer> {
      const headers = { ...(init.headers as Record<string, string>), Host: host }
      const options = JSON.stringify({ ...init, headers, redirect: 'manual' })
      return composed.visit(`
      const init = { ...${options}, tls: { serverName: '${host}', rejectUnauthorized: false } }
      const answer = await fetch('${scheme}://172.31.80.2${path}', init)
      const location = answer.headers.get('location')
      console.log(JSON.stringify({ status: answer.status, location, body: await answer.text() }))`)
    }

    test('create a key in a container, and shorten and redirect by HTTPS', async () => {
      const [first = ''] = nodes
      const result = await composed.exec(
        first,
        ...'/latchkey keys create --identity ann@example.com --scope create,read --title x'.split(' '),
      )
      expect(result.code).toBe(0)
      key = result.out.trim()
      const created = await ask('go.localhost', '/_/api/links', {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ url: 'https://example.com/target', slug: 'hello' }),
      })
      expect(created.status).toBe(201)
      for (let turn = 0; turn < 4; turn++)
        expect(await ask('go.localhost', '/hello')).toMatchObject({
          status: 302,
          location: 'https://example.com/target',
        })
      expect(await ask('go.localhost', '/hello', {}, 'http')).toMatchObject({
        status: 308,
        location: 'https://go.localhost/hello',
      })
    })

    test('open the admin side only after a sign-in at the proxy, regardless of identity headers', async () => {
      const forged = { 'X-Latchkey-User': 'ann@example.com' }
      const wrong = { Authorization: `Basic ${btoa('ann@example.com:wrong')}` }
      for (const headers of [{}, forged, wrong])
        expect((await ask('go.localhost', '/_/admin/api/keys', { headers })).status).toBe(401)
      for (const path of ['/_//admin/api/keys', '/_/%61dmin/api/keys'])
        expect((await ask('go.localhost', path, { headers: forged })).body).not.toContain('ann@example.com')
      const right = { Authorization: `Basic ${btoa('ann@example.com:only for tests')}` }
      const keys = await ask('go.localhost', '/_/admin/api/keys', { headers: right })
      expect([keys.status, keys.body.includes('"title":"x"')]).toEqual([200, true])
    })

    test('serve Rooms by HTTPS under its own host, and metrics to clients with the token', async () => {
      expect(await ask('rooms.localhost', '/api/health')).toMatchObject({ status: 200 })
      const config = await ask('rooms.localhost', '/api/config')
      expect(JSON.parse(config.body)).toMatchObject({ demo: false, provider: { mode: 'oidc' } })
      for (const [host, path] of [
        ['go.localhost', '/_/metrics'],
        ['rooms.localhost', '/api/metrics'],
      ] as const) {
        expect((await ask(host, path)).status).not.toBe(200)
        const headers = { Authorization: `Bearer ${TOKEN}` }
        expect(await ask(host, path, { headers })).toMatchObject({ status: 200 })
      }
    })

    test('continue with the other node, if any, while one is stopped', async () => {
      const [first = '', second = ''] = nodes
      expect(await composed.stop(first)).toBe(0)
      expect(await composed.log(first)).toContain('"message":"stopped"')
      if (!second.startsWith('links')) return
      for (let turn = 0; turn < 4; turn++) expect((await ask('go.localhost', '/hello')).status).toBe(302)
    })

    test('stop in order', async () => {
      for (const node of nodes.slice(1)) expect([node, await composed.stop(node)]).toEqual([node, 0])
    })
  },
)
