import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { ADMINS, FOLDER, readCompose } from './compose.ts'
import { SECRET_SETTINGS } from './secret-settings.ts'

const VARIABLES = {
  HOST_OF_LINKS: 'go.example.com',
  HOST_OF_ROOMS: 'rooms.example.com',
  AUTH_CLIENT_ID: 'latchkey-rooms',
  OIDC_ISSUER: 'https://login.example.com',
}
const tools = process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? ''
const hasSpecification = tools !== '' && Bun.spawnSync([tools, '-c', 'import compose_spec']).exitCode === 0
const caddy = Bun.which('caddy', { PATH: `${process.env['PATH']}:/usr/sbin` })

const VALIDATE =
  'import sys; from compose_spec import PyCompose; PyCompose.from_json(sys.stdin.read()).to_spec()'

describe.each(['embedded', 'postgres'])('deploy/compose/%s.yaml', (name) => {
  const compose = readCompose(name, VARIABLES)
  const services = Object.entries(compose.services)

  test.skipIf(!hasSpecification)('conforms to the Compose specification', () => {
    const validate = (text: string) =>
      Bun.spawnSync([tools, '-c', VALIDATE], { stdin: new Blob([text]), stderr: 'pipe' })
    const { exitCode, stderr } = validate(JSON.stringify(compose))
    expect([exitCode, stderr.toString()]).toEqual([0, ''])
    expect(validate(JSON.stringify({ ...compose, services: { links: { imagee: 'x' } } })).exitCode).not.toBe(
      0,
    )
  })

  test('requires every variable', () => {
    for (const variable of Object.keys(VARIABLES))
      expect(() => readCompose(name, { ...VARIABLES, [variable]: '' })).toThrow(`${variable} is missing`)
  })

  test.each(services)(
    'runs %s without privileges, on a read-only root, with resource limits',
    (_, service) => {
      expect(service.read_only).toBe(true)
      expect(service.cap_drop).toEqual(['ALL'])
      expect(service.security_opt).toEqual(['no-new-privileges:true'])
      expect(service.restart).toBe('unless-stopped')
      const { cpus, memory, pids } = service.deploy?.resources.limits ?? {}
      expect([Number(cpus) > 0, /^\d+[mg]$/.test(memory ?? ''), Number(pids) > 0]).toEqual([true, true, true])
      expect(service.image).toMatch(/:\d[\w.-]*$/)
    },
  )

  test.each(services)('passes secrets to %s as files only', (_, { environment = {}, secrets = [] }) => {
    const files = Object.entries(environment).flatMap(([key, value]) => (key.endsWith('_FILE') ? value : []))
    for (const file of files) expect(secrets.map((secret) => `/run/secrets/${secret}`)).toContain(file)
    for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret)
    for (const secret of SECRET_SETTINGS) expect(Object.keys(environment)).not.toContain(secret)
    expect(JSON.stringify(environment)).not.toMatch(/:\/\/[^/"]*:[^/"]*@/)
  })

  test('trusts headers of the proxy only', () => {
    const networks = compose.services['proxy']?.networks as Record<string, { ipv4_address: string }>
    const address = networks['front']?.ipv4_address
    for (const [, { command, environment }] of services)
      if (command?.[0] === 'links' || command?.[0] === 'rooms')
        expect(environment?.['TRUSTED_PROXIES']).toBe(String(address))
  })

  test('reserves the address of the proxy, regardless of the start order', () => {
    const networks = compose.services['proxy']?.networks as Record<string, { ipv4_address: string }>
    const [{ subnet, ip_range, gateway }] = compose.networks.front.ipam.config
    const inside = (range: string, address = '') => {
      const [base = '', bits] = range.split('/')
      const numberOf = (ip: string) => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
      const size = 2 ** (32 - Number(bits))
      return Math.floor(numberOf(base) / size) === Math.floor(numberOf(address) / size)
    }
    const address = networks['front']?.ipv4_address
    expect([inside(subnet, address), inside(ip_range, address), address === gateway]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('mounts the configuration files of containers', () => {
    for (const config of Object.values(compose.configs ?? {}))
      expect(existsSync(join(FOLDER, config.file))).toBe(true)
  })

  test('publishes ports of the proxy only', () => {
    for (const [service, { command }] of services)
      expect([service, 'ports' in (compose.services[service] ?? {})]).toEqual([
        service,
        command === undefined && service === 'proxy',
      ])
  })
})

test.skipIf(caddy === null)("Caddy accepts the proxy's configuration", () => {
  const file = join(FOLDER, 'Caddyfile')
  const { exitCode, stdout } = Bun.spawnSync(
    [caddy ?? '', 'validate', '--adapter', 'caddyfile', '--config', file],
    {
      env: {
        HOST_OF_LINKS: 'go.localhost',
        HOST_OF_ROOMS: 'rooms.localhost',
        NODES_OF_LINKS: '127.0.0.1:9 127.0.0.1:10',
        NODES_OF_ROOMS: '127.0.0.1:11',
        ADMINS_FILE: ADMINS,
        HOME: '/nonexistent',
      },
      stderr: 'ignore',
    },
  )
  expect([exitCode, stdout.toString()]).toEqual([0, 'Valid configuration\n'])
  const formatted = Bun.spawnSync([caddy ?? '', 'fmt', file], { stderr: 'ignore' }).stdout.toString()
  expect(readFileSync(file, 'utf8')).toBe(formatted)
})
