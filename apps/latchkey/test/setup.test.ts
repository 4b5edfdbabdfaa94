// The command as a person runs it, before a provider that is asked for real.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { LATCHKEY } from '../../../scripts/latchkey-command.ts'
import { createCertificate } from '../../rooms/test/certificate.ts'
import { startOidcProvider } from '../../rooms/test/real/oidc-provider.ts'
import { Workspace } from './running.ts'

const SECRET = 'hunter22-hunter22-hunter22'
const ROOMS = 'rooms.setup.test'
const workspace = new Workspace({ NO_COLOR: '' })
let provider: Awaited<ReturnType<typeof startOidcProvider>>

beforeAll(async () => {
  provider = await startOidcProvider({
    alg: 'RS256',
    client: {
      client_id: 'latchkey-rooms',
      client_secret: SECRET,
      redirect_uris: [`https://${ROOMS}/api/auth/callback`],
      post_logout_redirect_uris: [`https://${ROOMS}`],
      backchannel_logout_uri: `https://${ROOMS}/api/auth/backchannel-logout`,
      backchannel_logout_session_required: true,
    },
  })
  await workspace.write('secret', `${SECRET}\n`)
})
afterAll(async () => {
  await provider.stop()
  workspace.remove()
})

async function answers(changes: Record<string, string> = {}): Promise<string> {
  const all = {
    HOST_OF_LINKS: 'go.setup.test',
    HOST_OF_ROOMS: ROOMS,
    PROVIDER: 'oidc',
    OIDC_ISSUER: provider.origin,
    AUTH_CLIENT_ID: 'latchkey-rooms',
    AUTH_CLIENT_SECRET_FILE: workspace.path('secret'),
    EMAIL: 'ann@example.com',
    INSTALL: 'systemd',
    PROXY: 'caddy',
    LINKS_PORT: String(await freePort()),
    ROOMS_PORT: String(await freePort()),
    ...changes,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`)
  return workspace.write('answers.env', lines.join('\n'))
}
const run = async (root: string, changes: Record<string, string> = {}) =>
  workspace.run(['setup', '--answers', await answers(changes), '--write', root])
const folderOf = (name: string) => workspace.path(name)
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .toSorted()

describe('O2: latchkey setup --answers', () => {
  test('O2.2: tries the provider with the client, writes everything, and lists what is left', async () => {
    const root = folderOf('first')
    const { code, out, err } = await run(root)
    expect(err).toBe('')
    expect(out).toMatch(/ok +provider +oidc /)
    expect(out).toMatch(/ok +redirect /)
    expect(out).toMatch(/ok +secret +the provider accepts the client secret/)
    expect(out).toMatch(/fail +dns +go\.setup\.test has no address/)
    expect(out).toContain('+LINKS_BASE_URL=https://go.setup.test')
    expect(out).toContain(`Redirect URI: https://${ROOMS}/api/auth/callback`)
    expect(out).toContain('Left to you')
    // The names do not lead here.
    expect(code).toBe(2)
    expect(filesIn(root)).toEqual([
      '/etc/caddy/Caddyfile',
      '/etc/caddy/latchkey.caddyfile',
      '/etc/latchkey/access-service-key',
      '/etc/latchkey/auth-client-secret',
      '/etc/latchkey/links.env',
      '/etc/latchkey/metrics-token',
      '/etc/latchkey/rooms.env',
      '/etc/latchkey/setup.json',
      '/etc/systemd/system/latchkey-links.service',
      '/etc/systemd/system/latchkey-links.service.d/setup.conf',
      '/etc/systemd/system/latchkey-links.socket',
      // The services of this test have other ports than those of the units.
      '/etc/systemd/system/latchkey-links.socket.d/setup.conf',
      '/etc/systemd/system/latchkey-rooms.service',
      '/etc/systemd/system/latchkey-rooms.service.d/setup.conf',
      '/etc/systemd/system/latchkey-rooms.socket',
      '/etc/systemd/system/latchkey-rooms.socket.d/setup.conf',
      '/etc/sysusers.d/latchkey.conf',
      '/etc/tmpfiles.d/latchkey.conf',
    ])
  })

  test('O2.1c: never prints a secret, and stores it only in its own file', async () => {
    const root = folderOf('secrets')
    const { out, err } = await run(root)
    expect(out + err).not.toContain(SECRET)
    expect(out + err).not.toContain(readFileSync(join(root, 'etc/latchkey/metrics-token'), 'utf8').trim())
    const holders = filesIn(root).filter((path) => readFileSync(join(root, path), 'utf8').includes(SECRET))
    expect(holders).toEqual(['/etc/latchkey/auth-client-secret'])
  })

  test('O2.3e: keeps the secrets that it generated, and changes nothing when run again', async () => {
    const root = folderOf('again')
    await run(root)
    const before = filesIn(root).map((path) => readFileSync(join(root, path), 'utf8'))
    const file = await answers(
      JSON.parse(readFileSync(join(root, 'etc/latchkey/setup.json'), 'utf8')).answers,
    )
    const { out } = await workspace.run(['setup', '--answers', file, '--write', root])
    expect(out).toContain('All files are as they should be.')
    expect(filesIn(root).map((path) => readFileSync(join(root, path), 'utf8'))).toEqual(before)
  })

  test('O2.3e: keeps the secrets that an earlier setup was given', async () => {
    const root = folderOf('database')
    await workspace.write('url', 'postgres://links:hunter33@db.internal/links\n')
    await run(root, { LINKS_DATABASE_URL_FILE: workspace.path('url') })
    const check = await workspace.run(['setup', '--check', '--write', root])
    expect(check.out).toMatch(/ok +files /)
    expect(check.out).not.toContain('hunter33')
  })

  test('O2.3c: names the files of an earlier setup that have no use any more', async () => {
    const root = folderOf('other-proxy')
    await run(root)
    const { out } = await run(root, { PROXY: 'nginx' })
    expect(out).toContain('files: /etc/caddy/latchkey.caddyfile is of an earlier setup: delete it')
    expect(existsSync(join(root, 'etc/caddy/latchkey.caddyfile'))).toBe(true)
  })

  test('O2.2: says that an address is not registered, and that a secret is wrong', async () => {
    await workspace.write('wrong', 'not-the-secret\n')
    const { code, out } = await run(folderOf('unregistered'), {
      HOST_OF_ROOMS: 'other.setup.test',
      AUTH_CLIENT_SECRET_FILE: workspace.path('wrong'),
    })
    expect(code).toBe(2)
    expect(out).toMatch(/fail +redirect .*register https:\/\/other\.setup\.test\/api\/auth\/callback/)
    expect(out).toMatch(/fail +secret .*refuses the client id with this client secret/)
  })

  test('O2.1b: with wrong answers exits 1 and writes nothing', async () => {
    const root = folderOf('wrong-answers')
    const { code, out, err } = await run(root, { PROXI: 'caddy', EMAIL: 'ann' })
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('EMAIL must be an email address')
    expect(err).toContain('PROXI is neither a question of setup nor a setting; did you mean PROXY?')
    expect(err).not.toMatch(/\n\s+at /)
    expect(existsSync(root)).toBe(false)
  })

  test.each([
    [['--answers', 'missing.env'], 'missing.env does not exist'],
    [['--check', '--write', 'nowhere'], 'There was no setup here'],
  ])('%p exits 1 with a sentence', async (args: string[], sentence: string) => {
    const { code, err } = await workspace.run(['setup', ...args])
    expect([code, err.split('\n').length]).toEqual([1, 2])
    expect(err).toContain(sentence)
  })
})

test('O2.2: a provider with a certificate of its own authority is tried with AUTHORITY', async () => {
  const certificate = workspace.path('ca.pem')
  const key = workspace.path('ca.key')
  await createCertificate('localhost', { certificate, key })
  const server = Bun.serve({
    port: 0,
    tls: { cert: Bun.file(certificate), key: Bun.file(key) },
    fetch: ({ url }) => {
      const { origin } = new URL(url)
      const ends = {
        authorization_endpoint: `${origin}/auth`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/jwks`,
      }
      return Response.json({
        issuer: origin,
        ...ends,
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
        keys: [],
      })
    },
  })
  const OIDC_ISSUER = `https://localhost:${server.port}`
  const strange = await run(folderOf('strange'), { OIDC_ISSUER })
  expect(strange.out).toMatch(/fail +provider +oidc .*CERT/)
  const root = folderOf('trusted')
  const trusted = await run(root, { OIDC_ISSUER, AUTHORITY: certificate })
  expect([trusted.code, trusted.err]).toEqual([2, ''])
  expect(trusted.out).toMatch(/ok +provider +oidc /)
  for (const name of ['links', 'rooms'])
    expect(readFileSync(join(root, `etc/latchkey/${name}.env`), 'utf8')).toContain(
      `NODE_EXTRA_CA_CERTS=${certificate}\n`,
    )
  const check = await workspace.run(['setup', '--check', '--write', root])
  expect(check.out).toMatch(/ok +provider +oidc /)
  await server.stop(true)
})

describe('O2.3: files of Compose', () => {
  test('are in one folder, with the secrets apart', async () => {
    const root = folderOf('compose')
    const { out } = await run(root, { INSTALL: 'compose' })
    expect(filesIn(root)).toEqual([
      '/.env',
      '/Caddyfile',
      '/compose.yaml',
      '/links.env',
      '/rooms.env',
      '/secrets/access-service-key',
      '/secrets/auth-client-secret',
      '/secrets/metrics-token',
      '/setup.json',
    ])
    expect(out).toContain(`docker compose -f ${root}/compose.yaml up -d`)
    expect(readFileSync(join(root, 'links.env'), 'utf8')).toContain('\nTRUSTED_PROXIES=172.31.80.2\n')
  })
})

/** A terminal in which a person types the lines, each when its question is shown. */
async function converse(
  folder: string,
  lines: readonly (readonly [question: string, answer: string])[],
  env: Record<string, string> = {},
): Promise<{ code: number; screen: string }> {
  let screen = ''
  const waiting = [...lines]
  let shownFrom = 0
  const child = Bun.spawn([...LATCHKEY, 'setup', '--write', folder], {
    cwd: workspace.folder,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...env },
    terminal: {
      cols: 200,
      rows: 60,
      data(terminal, data) {
        screen += Buffer.from(data).toString('utf8')
        const [next] = waiting
        if (next === undefined || !screen.slice(shownFrom).includes(next[0])) return
        shownFrom = screen.length
        waiting.shift()
        terminal.write(next[1])
      },
    },
  })
  const code = await child.exited
  return { code, screen }
}

describe('O2.1: at a terminal, setup', () => {
  const conversation = () =>
    [
      ['Host name of short links', 'go.setup.test\r'],
      ['Host name of Rooms', `https://${ROOMS}\r`],
      ['must be a host name', `${ROOMS}\r`],
      ['Who signs people in', 'oidc\r'],
      ['Issuer of the OpenID provider', `${provider.origin}\r`],
      ['Conditions on claims', '\r'],
      ['Client ID issued by the provider', 'latchkey-rooms\r'],
      ['Client secret', `${SECRET}\r`],
      ['Your email address', 'ann@example.com\r'],
      ['Folder of databases and files', '\r'],
    ] as const

  test('asks five things with defaults, does not echo the secret, shows a diff and writes after a yes', async () => {
    const root = folderOf('asked')
    const { code, screen } = await converse(root, [...conversation(), ['Write these files?', 'yes\r']])
    expect(screen).toContain('[/var/lib/latchkey/data]')
    expect(screen).not.toContain(SECRET)
    expect(screen).toContain('\u001b[32m+LINKS_BASE_URL=https://go.setup.test\u001b[0m')
    expect(screen).toContain(`Redirect URI: https://${ROOMS}/api/auth/callback`)
    expect(code).toBe(2)
    expect(readFileSync(join(root, 'etc/latchkey/auth-client-secret'), 'utf8')).toBe(`${SECRET}\n`)
    expect(readFileSync(join(root, 'etc/latchkey/rooms.env'), 'utf8')).toContain(
      `ALLOWED_HOSTS=https://${ROOMS}\n`,
    )
  })

  test('O2.7: has no colour with NO_COLOR', async () => {
    const { screen } = await converse(folderOf('plain'), [['Host name of short links', '\u0003']], {
      NO_COLOR: '1',
    })
    expect(screen).toContain('Host name of short links')
    expect(screen).not.toContain('\u001b[1m')
  })

  test('O2.1d: ends at Ctrl+C with 130 and writes nothing, also before the last question', async () => {
    const folder = folderOf('interrupted')
    for (const lines of [
      [['Host name of short links', '\u0003']] as const,
      [...conversation(), ['Write these files?', '\u0003']] as const,
    ]) {
      const { code, screen } = await converse(folder, lines)
      expect([code, screen.includes('Unexpected error')]).toEqual([130, false])
    }
    expect(existsSync(folder)).toBe(false)
  })
})

describe('O2.1: through a pipe, setup', () => {
  test('takes a line for each question', async () => {
    const root = folderOf('piped')
    const lines = [
      'go.setup.test',
      ROOMS,
      '11',
      provider.origin,
      '',
      'latchkey-rooms',
      SECRET,
      'ann@example.com',
      '',
      'yes',
    ]
    const { code, out } = await workspace.run(['setup', '--write', root], { stdin: `${lines.join('\n')}\n` })
    expect(code).toBe(2)
    expect(out).not.toContain('\u001b')
    expect(readFileSync(join(root, 'etc/latchkey/links.env'), 'utf8')).toContain(
      'LINKS_ADMINS=ann@example.com',
    )
  })

  test('O2.1d: writes nothing when the input ends early, or on a no', async () => {
    const root = folderOf('early')
    const early = await workspace.run(['setup', '--write', root], { stdin: 'go.setup.test\n' })
    expect([early.code, early.err]).toEqual([
      1,
      'The input ended before the last answer. Nothing was written\n',
    ])
    const lines = [
      'go.setup.test',
      ROOMS,
      'oidc',
      provider.origin,
      '',
      'latchkey-rooms',
      SECRET,
      'ann@example.com',
      '',
      'no',
    ]
    const refused = await workspace.run(['setup', '--write', root], { stdin: `${lines.join('\n')}\n` })
    expect([refused.code, refused.err]).toEqual([1, 'Nothing was written\n'])
    expect(existsSync(root)).toBe(false)
  })
})
