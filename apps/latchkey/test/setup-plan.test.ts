import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings as readLinksSettings } from '@latchkey/links/settings/settings'
import { readSettings as readRoomsSettings } from '@latchkey/rooms/settings/settings'
import { readAnswers } from '../src/setup/answers.ts'
import { parseEnvFile } from '../src/setup/env-file.ts'
import { type Machine, type Plan, makePlan } from '../src/setup/plan.ts'

const ANSWERS = {
  HOST_OF_LINKS: 'go.example.com',
  HOST_OF_ROOMS: 'rooms.example.com',
  PROVIDER: 'keycloak',
  OIDC_ISSUER: 'https://login.example.com/realms/harbour',
  EMAIL: 'ann@example.com',
  ROOMS_RETENTION_MAX: '365',
}
const SECRETS = { AUTH_CLIENT_SECRET: 'the-secret-of-the-client' }
const CERTIFICATE = { CERTIFICATE: '/etc/ssl/a.pem', CERTIFICATE_KEY: '/etc/ssl/a.key' }
const MACHINE: Machine = { install: 'systemd', proxy: 'caddy', root: '/nowhere', readSecret: () => undefined }

const plan = (machine: Partial<Machine> = {}, answers: Record<string, string> = {}) =>
  makePlan(readAnswers({ ...ANSWERS, ...answers }, SECRETS), { ...MACHINE, ...machine })
const textOf = ({ files }: Plan, path: string) => files.find((file) => file.path === path)?.text ?? ''
const pathsOf = ({ files }: Plan) => files.map(({ path }) => path)

const tools = process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? ''
const hasSpecification = tools !== '' && Bun.spawnSync([tools, '-c', 'import compose_spec']).exitCode === 0
const caddy = Bun.which('caddy', { PATH: `${process.env['PATH']}:/usr/sbin` }) ?? ''

describe('O2.3: the settings', () => {
  test.each([['systemd'], ['compose']] as const)(
    'of %s are accepted by both services, for commands also without the secrets',
    (install) => {
      const files = plan({ install })
      const folder = install === 'compose' ? '' : '/etc/latchkey'
      const links = readLinksSettings({ ...parseEnvFile(textOf(files, `${folder}/links.env`)).values })
      expect([links.baseUrl, links.admins, links.host]).toEqual([
        'https://go.example.com',
        ['ann@example.com'],
        install === 'compose' ? '0.0.0.0' : '127.0.0.1',
      ])
      const rooms = readRoomsSettings({ ...parseEnvFile(textOf(files, `${folder}/rooms.env`)).values })
      expect([rooms.allowedHosts, rooms.maxRetentionDays]).toEqual([['https://rooms.example.com'], 365])
    },
  )

  test('that need a secret are beside it', () => {
    const setting = 'LINKS_ACCESS_REVOCATIONS_URL'
    expect(textOf(plan(), '/etc/systemd/system/latchkey-links.service.d/setup.conf')).toContain(
      `\nEnvironment=${setting}=http://127.0.0.1:8081/api/access/revocations\n`,
    )
    expect(textOf(plan({ install: 'compose' }), '/compose.yaml')).toContain(
      `\n      ${setting}: https://rooms.example.com/api/access/revocations\n`,
    )
  })

  test('of one service are not in the file of the other', () => {
    expect(textOf(plan(), '/etc/latchkey/links.env')).not.toMatch(/^(AUTH_|OIDC_|ROOMS_)/m)
    expect(textOf(plan(), '/etc/latchkey/rooms.env')).not.toMatch(/^LINKS_/m)
  })

  test('of PostgreSQL are files of secrets, and there is no SQLite', () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-plan-'))
    writeFileSync(join(folder, 'links'), 'postgres://links:hunter22@db.internal/links\n')
    const files = plan({}, { LINKS_DATABASE_URL_FILE: join(folder, 'links') })
    rmSync(folder, { recursive: true })
    expect(textOf(files, '/etc/latchkey/links.env')).not.toContain('LINKS_DATABASE_URL')
    expect(textOf(files, '/etc/latchkey/links-database-url')).toBe(
      'postgres://links:hunter22@db.internal/links\n',
    )
    expect(textOf(files, '/etc/systemd/system/latchkey-links.service.d/setup.conf')).toContain(
      'LoadCredential=links-database-url:/etc/latchkey/links-database-url\nEnvironment=LINKS_DATABASE_URL_FILE=%d/links-database-url\n',
    )
    expect(textOf(files, '/etc/systemd/system/latchkey-rooms.service.d/setup.conf')).not.toContain('database')
  })
})

describe('O2.3: the units', () => {
  test('are those of a package, if it has installed them', () => {
    const root = mkdtempSync(join(tmpdir(), 'latchkey-plan-'))
    const units = (files: Plan) =>
      pathsOf(files).filter((path) => /\.(service|socket)$|sysusers|tmpfiles/.test(path))
    expect(units(plan({ root }))).toHaveLength(6)
    mkdirSync(join(root, 'usr/lib/systemd/system'), { recursive: true })
    writeFileSync(join(root, 'usr/lib/systemd/system/latchkey-links.service'), '')
    expect(units(plan({ root }))).toEqual([])
    expect(existsSync(join(root, 'etc'))).toBe(false)
    rmSync(root, { recursive: true })
  })

  test('may write to the folder of the data, wherever it is', () => {
    const path = '/etc/systemd/system/latchkey-rooms.service.d/setup.conf'
    expect(textOf(plan({}, { DATA: '/srv/latchkey' }), path)).toContain('\nReadWritePaths=/srv/latchkey\n')
    expect(textOf(plan(), path)).not.toContain('ReadWritePaths')
  })
})

describe('O4.2a: the socket of a service', () => {
  const path = '/etc/systemd/system/latchkey-rooms.socket.d/setup.conf'

  test('has the address of the service, if that is another', () => {
    expect(textOf(plan({}, { ROOMS_HOST: '::1', ROOMS_PORT: '9081' }), path)).toEndWith(
      '[Socket]\nListenStream=\nListenStream=[::1]:9081\n',
    )
    expect(pathsOf(plan())).not.toContain(path)
  })
})

describe('O2.3: the Compose file', () => {
  interface Compose {
    services: Record<string, Record<string, unknown>>
  }
  const composeOf = (files: Plan) =>
    Bun.YAML.parse(textOf(files, '/compose.yaml').replace('${LATCHKEY_IMAGE}', 'latchkey:0.1.0')) as Compose

  test.skipIf(!hasSpecification)('conforms to the Compose specification', () => {
    const program =
      'import sys; from compose_spec import PyCompose; PyCompose.from_json(sys.stdin.read()).to_spec()'
    for (const proxy of ['caddy', 'nginx'] as const) {
      const text = JSON.stringify(composeOf(plan({ install: 'compose', proxy }, CERTIFICATE)))
      const { exitCode, stderr } = Bun.spawnSync([tools, '-c', program], {
        stdin: new Blob([text]),
        stderr: 'pipe',
      })
      expect([exitCode, stderr.toString()]).toEqual([0, ''])
    }
  })

  test('runs every container without privileges, on a read-only root, with limits', () => {
    const { services } = composeOf(plan({ install: 'compose' }))
    expect(Object.keys(services)).toEqual(['links', 'rooms', 'proxy'])
    for (const { read_only: isReadOnly, cap_drop: dropped, security_opt: options, deploy } of Object.values(
      services,
    )) {
      expect([isReadOnly, dropped, options]).toEqual([true, ['ALL'], ['no-new-privileges:true']])
      expect(JSON.stringify(deploy)).toMatch(/"limits":\{"cpus":"\d","memory":"\d+[mg]","pids":\d+\}/)
    }
  })

  test('opens no port but those of the proxy, and with another proxy only on this machine', () => {
    const portsOf = (files: Plan) =>
      Object.values(composeOf(files).services).flatMap(({ ports }) => ports ?? [])
    expect(portsOf(plan({ install: 'compose' }))).toEqual(['80:80', '443:443', '443:443/udp'])
    expect(portsOf(plan({ install: 'compose', proxy: 'nginx' }))).toEqual([
      '127.0.0.1:8080:8080',
      '127.0.0.1:8081:8081',
    ])
  })
})

describe('O2.3: the configuration of', () => {
  test.skipIf(caddy === '')(
    'Caddy is valid for public names, local names and a certificate of your own',
    () => {
      const texts = [
        plan(),
        plan({}, { HOST_OF_LINKS: 'go.test' }),
        plan({ install: 'compose' }),
        plan({}, CERTIFICATE),
      ].map((files) => textOf(files, '/etc/caddy/latchkey.caddyfile') || textOf(files, '/Caddyfile'))
      expect(texts.map((text) => [...new Set(text.match(/tls .+/g))])).toEqual([
        ['tls ann@example.com'],
        ['tls internal', 'tls ann@example.com'],
        ['tls ann@example.com'],
        ['tls /etc/ssl/a.pem /etc/ssl/a.key'],
      ])
      for (const text of texts) {
        const { exitCode, stderr } = Bun.spawnSync(
          [caddy, 'adapt', '--adapter', 'caddyfile', '--config', '/dev/stdin'],
          {
            stdin: new Blob([text]),
            stderr: 'pipe',
          },
        )
        expect([exitCode, stderr.toString()]).toEqual([0, expect.not.stringContaining('not formatted')])
      }
    },
  )

  test('Traefik leads each host to its service, over HTTPS alone', () => {
    const text = textOf(plan({ proxy: 'traefik' }), '/etc/traefik/dynamic/latchkey.yaml')
    const { http } = Bun.YAML.parse(text) as {
      http: { routers: Record<string, object>; services: Record<string, object> }
    }
    expect(http.routers['latchkey-admin']).toMatchObject({
      rule: 'Host(`go.example.com`) && PathPrefix(`/_/admin`)',
      service: 'latchkey-links',
      middlewares: ['latchkey-signed-in'],
    })
    expect(http.routers['latchkey-rooms']).toEqual({
      rule: 'Host(`rooms.example.com`)',
      entryPoints: ['websecure'],
      service: 'latchkey-rooms',
      tls: { certResolver: 'letsencrypt' },
    })
    expect(http.services['latchkey-links']).toEqual({
      loadBalancer: { servers: [{ url: 'http://127.0.0.1:8080' }] },
    })
    const own = textOf(plan({ proxy: 'traefik' }, CERTIFICATE), '/etc/traefik/dynamic/latchkey.yaml')
    expect(Bun.YAML.parse(own)).toMatchObject({
      tls: { certificates: [{ certFile: '/etc/ssl/a.pem', keyFile: '/etc/ssl/a.key' }] },
    })
  })

  test.each([
    ['caddy', 'text', '/etc/caddy/latchkey.caddyfile'],
    ['nginx', 'nginx', '/etc/nginx/conf.d/latchkey.conf'],
    ['traefik', 'yaml', '/etc/traefik/dynamic/latchkey.yaml'],
  ] as const)('O2.3f: %s has what docs/admin-access/rooms.md says', (proxy, language, path) => {
    const page = readFileSync(join(import.meta.dir, '../../../docs/admin-access/rooms.md'), 'utf8')
    const [, recipe = ''] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page) ?? []
    const lines = (text: string) => text.split('\n').map((line) => line.trim())
    const own = lines(textOf(plan({ proxy }), path).replaceAll('latchkey-', ''))
    const wanted = lines(recipe).filter((line) => line !== '' && !/^(#|ssl_certificate|tls: )/.test(line))
    expect(wanted.length).toBeGreaterThan(15)
    expect(wanted.filter((line) => !own.some((each) => each.startsWith(line)))).toEqual([])
  })

  test('none is left to you', () => {
    expect(pathsOf(plan({ proxy: 'none' })).filter((path) => /caddy|nginx|traefik/i.test(path))).toEqual([])
  })
})
