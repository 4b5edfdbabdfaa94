import { Database as SqliteFile } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '@latchkey/http/free-port'
import { LATCHKEY } from '../../../scripts/latchkey-command.ts'
import { Workspace } from './running.ts'

describe('latchkey start', () => {
  const workspace = new Workspace()
  afterAll(() => workspace.remove())

  test('starts without settings, prints the URLs to open, and prints a command that creates a working key', async () => {
    const service = await workspace.start(['start'], /--title "First key"/)
    const local = service.origin.replace('127.0.0.1', 'localhost')
    expect(service.out).toContain(`Short URLs     ${local}\n`)
    expect(service.out).toContain(`Admin          ${local}/_/admin/dashboard\n`)
    expect(service.out).toContain(`API reference  ${local}/_/api/docs\n`)
    expect((await fetch(`${service.origin}/_/api/docs`)).status).toBe(200)
    expect((await fetch(`${service.origin}/_/health`)).status).toBe(200)
    // More than the default limit of the runtime, to prove that the limit of Rooms applies.
    const { hostname, port } = new URL(service.originOf('rooms'))
    const tooLarge = request({ hostname, port, path: '/api/session', method: 'POST' })
    tooLarge.setHeader('Content-Length', 200_000_000).on('error', () => {})
    const answered = Promise.withResolvers<IncomingMessage>()
    tooLarge.on('response', answered.resolve).flushHeaders()
    expect((await answered.promise).statusCode).toBe(413)
    expect(JSON.parse(await text(await answered.promise))).toMatchObject({ code: 'too_large' })
    tooLarge.destroy()

    const command = /^ {2}(?:npx )?\S*latchkey\S* (keys create .*)$/m.exec(service.out)?.[1] ?? ''
    const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
    const { code, out } = await workspace.run(args)
    expect(code).toBe(0)
    const answer = await fetch(`${service.origin}/_/api/links`, {
      headers: { Authorization: `Bearer ${out.trim()}` },
    })
    expect(answer.status).toBe(200)
    expect(await service.stop('SIGINT')).toBe(0)
    expect(existsSync(workspace.database)).toBe(true)
  })

  test('prints the public address if set, and the admin side on this machine', async () => {
    const service = await workspace.start(['start'], /First key/, {
      LINKS_BASE_URL: 'https://go.example.com',
    })
    expect(service.out).toContain('Short URLs     https://go.example.com\n')
    expect(service.out).toMatch(/Admin {10}http:\/\/localhost:\d+\/_\/admin/)
    expect(await service.stop()).toBe(0)
  })

  test('exits with one sentence that names a port in use', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    for (const command of ['start', 'links']) {
      const { code, err } = await workspace.run([command], { env: { LINKS_PORT: String(other.port) } })
      expect(code).toBe(1)
      expect(err).toBe(
        `Port ${other.port} of 127.0.0.1 is in use: stop the process that uses it, or set LINKS_PORT to another port\n`,
      )
    }
    await other.stop(true)
  })

  test('O4.1d: refuses a database of a newer version and does not change it', async () => {
    const file = new SqliteFile(workspace.database)
    file.run("insert into migration (name, applied_at) values ('9999-future', 'now')")
    for (const args of [['start'], ['keys', 'list'], ['backup', 'b.db']]) {
      const { code, err } = await workspace.run(args)
      expect(code).toBe(1)
      expect(err).toContain('newer version')
      expect(err.trim().split('\n')).toHaveLength(1)
    }
    expect(existsSync(workspace.path('b.db'))).toBe(false)
    file.run("delete from migration where name = '9999-future'")
    file.close()
  })
})

describe('npm start', () => {
  const root = join(import.meta.dir, '../../..')
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-npm-'))
  const data = {
    LINKS_DATABASE_URL: `sqlite:${folder}/links.db`,
    ROOMS_DATABASE_URL: `sqlite:${folder}/rooms.db`,
  }
  const workspace = new Workspace(data, ['npm', 'start', '--prefix', root], true)
  afterAll(() => {
    workspace.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  test('stops in order when npm receives SIGTERM, and leaves no process that answers', async () => {
    const service = await workspace.start([], /--title "First key"/)
    expect((await fetch(`${service.origin}/_/health`)).status).toBe(200)
    expect(await service.stop('SIGTERM')).toBe(0)
    expect(service.out).toContain('"stopped"')
    const after = await fetch(`${service.origin}/_/health`).catch((error: Error) => error)
    expect(after).toBeInstanceOf(Error)
  })

  test('stops both services in order on Ctrl+C, which arrives from the terminal and from npm', async () => {
    const service = await workspace.start([], /--title "First key"/)
    expect(await service.pressCtrlC()).toBe(0)
    expect(service.out.match(/"stopped"/g)).toHaveLength(2)
  })
})

describe('latchkey links', () => {
  const workspace = new Workspace()
  afterAll(() => workspace.remove())

  test('writes only its log', async () => {
    const service = await workspace.start(['links'], /"listening"/)
    expect(await service.stop()).toBe(0)
    const lines = service.out.trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'listening',
      'stopped',
    ])
  })

  test('runs and stops in order if its log cannot be written: on a full disk, or to a closed pipe', async () => {
    const env = { LINKS_PORT: String(await freePort()) }
    for (const shell of ['exec "$0" "$@" > /dev/full', 'exec "$0" "$@" > >(head -n 1 > /dev/null)']) {
      const unheard = new Workspace(env, ['bash', '-c', shell, ...LATCHKEY])
      const child = unheard.spawn(['links'])
      const ask = (path: string) => fetch(`http://127.0.0.1:${env.LINKS_PORT}${path}`).catch(() => undefined)
      while (!(await ask('/_/health')) && child.exitCode === null) await Bun.sleep(10)
      for (let line = 0; line < 5; line++) expect((await ask('/_/api/links'))?.status).toBe(401)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      unheard.remove()
    }
  })
})
