import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Environment, SettingsError } from '@latchkey/settings/settings'
import { declarations } from './declarations.ts'
import { readSettings, settingsWarnings } from './settings.ts'

const jwt = {
  LINKS_ACCESS: 'jwt',
  LINKS_ACCESS_JWKS_URL: 'https://team.example/certs',
  LINKS_ACCESS_ISSUER: 'https://team.example',
  LINKS_ACCESS_AUDIENCE: 'aud',
}

function problemsOf(env: Environment): string[] {
  try {
    readSettings(env)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ name, problem }) => `${name} ${problem}`)
    throw error
  }
  return []
}

test('L2: without any setting, it listens on loopback, admits loopback only and keeps its data in ./data', () => {
  expect(readSettings({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    databaseUrl: 'sqlite:./data/links.db',
    journal: 'sqlite:./data/links-journal.db',
    baseUrl: null,
    domains: [],
    strictHost: false,
    roomsUrl: null,
    access: 'loopback',
    accessHeader: null,
    accessCookie: null,
    accessJwksUrl: null,
    accessIssuer: null,
    accessAudience: null,
    accessRevocationsUrl: null,
    accessServiceKey: null,
    accessLogoutUrl: null,
    admins: ['admin@localhost'],
    redirectStatus: 302,
    robots: 'previews',
    rateLimit: { count: 600, perSeconds: 60 },
    keysPerPerson: 100,
    webhookAllow: [],
    titleFetch: true,
    faviconFetch: true,
    retentionDays: null,
    auditDays: null,
    privacy: 'full',
    honorGpc: false,
    proxyHeader: null,
    trustedProxies: [],
    countryHeader: null,
    metricsToken: null,
    mcpOauthIssuer: null,
    mcpOauthAudience: null,
    mcpAccessAudience: null,
    mcpApiKeys: false,
  })
})

test('L2: every setting is read from its variable', () => {
  const env = {
    ...jwt,
    ...Object.fromEntries(Object.values(declarations).map(({ name, example }) => [name, example])),
  }
  expect(problemsOf(env)).toEqual([])
  const settings = readSettings(env)
  expect(settings.redirectStatus).toBe(307)
  expect(settings.trustedProxies).toEqual(['10.0.0.0/8', '::1'])
  expect(settings.accessHeader).toBe('X-Forwarded-Email')
  expect(settings.mcpApiKeys).toBe(true)
  expect(Object.keys(settings).filter((key) => settings[key as keyof typeof settings] === null)).toEqual([])
})

describe('rules between settings', () => {
  test('L16: jwt requires keys, issuer and audience', () => {
    expect(problemsOf({ LINKS_ACCESS: 'jwt' })).toEqual([
      'LINKS_ACCESS_JWKS_URL is required with LINKS_ACCESS=jwt',
      'LINKS_ACCESS_ISSUER is required with LINKS_ACCESS=jwt',
      'LINKS_ACCESS_AUDIENCE is required with LINKS_ACCESS=jwt',
    ])
    expect(problemsOf(jwt)).toEqual([])
  })

  test('the assertion header has a default with jwt only', () => {
    expect(readSettings(jwt).accessHeader).toBe('Cf-Access-Jwt-Assertion')
    expect(readSettings({ ...jwt, LINKS_ACCESS_HEADER: 'X-Jwt' }).accessHeader).toBe('X-Jwt')
    expect(readSettings({}).accessHeader).toBeNull()
  })

  test('header requires its header and the proxies that may set it', () => {
    expect(problemsOf({ LINKS_ACCESS: 'header' })).toEqual([
      'LINKS_ACCESS_HEADER is required with LINKS_ACCESS=header',
      'TRUSTED_PROXIES is required with LINKS_ACCESS=header',
    ])
    const complete = { LINKS_ACCESS: 'header', LINKS_ACCESS_HEADER: 'X-User', TRUSTED_PROXIES: '::1' }
    expect(problemsOf(complete)).toEqual([])
  })

  test('L2: headers of a proxy require the list of proxies', () => {
    expect(problemsOf({ PROXY_HEADER: 'X-Forwarded-For', LINKS_COUNTRY_HEADER: 'CF-IPCountry' })).toEqual([
      'PROXY_HEADER needs TRUSTED_PROXIES',
      'LINKS_COUNTRY_HEADER needs TRUSTED_PROXIES',
    ])
  })

  test('an empty list of trusted proxies counts as unset, as in Rooms', () => {
    const TRUSTED_PROXIES = 'none'
    expect(readSettings({ TRUSTED_PROXIES }).trustedProxies).toEqual([])
    expect(problemsOf({ TRUSTED_PROXIES, PROXY_HEADER: 'X-Forwarded-For' })).toEqual([
      'PROXY_HEADER needs TRUSTED_PROXIES',
    ])
    expect(problemsOf({ TRUSTED_PROXIES, LINKS_ACCESS: 'header', LINKS_ACCESS_HEADER: 'X-User' })).toEqual([
      'TRUSTED_PROXIES is required with LINKS_ACCESS=header',
    ])
  })

  test('the OAuth settings of MCP are set together or not at all', () => {
    expect(problemsOf({ MCP_OAUTH_ISSUER: 'https://i' })).toEqual([
      'MCP_OAUTH_ISSUER needs MCP_OAUTH_AUDIENCE',
    ])
    expect(problemsOf({ MCP_OAUTH_AUDIENCE: 'a' })).toEqual(['MCP_OAUTH_AUDIENCE needs MCP_OAUTH_ISSUER'])
    expect(problemsOf({ MCP_OAUTH_ISSUER: 'https://i', MCP_OAUTH_AUDIENCE: 'a' })).toEqual([])
  })

  test('the assertion audience of MCP requires jwt', () => {
    for (const access of ['loopback', '']) {
      expect(problemsOf({ LINKS_ACCESS: access, MCP_ACCESS_AUDIENCE: 'a' })).toEqual([
        'MCP_ACCESS_AUDIENCE works only with LINKS_ACCESS=jwt',
      ])
    }
    expect(problemsOf({ ...jwt, MCP_ACCESS_AUDIENCE: 'a' })).toEqual([])
  })

  test('L16.7: the list of ended sessions requires jwt and its key, of at least 32 characters', () => {
    const url = 'https://rooms.example.com/api/access/revocations'
    const withKey = (key: string) =>
      problemsOf({ ...jwt, LINKS_ACCESS_REVOCATIONS_URL: url, LINKS_ACCESS_SERVICE_KEY: key })
    expect(withKey('k'.repeat(32))).toEqual([])
    expect(withKey('')).toEqual(['LINKS_ACCESS_REVOCATIONS_URL needs LINKS_ACCESS_SERVICE_KEY'])
    expect(withKey('k'.repeat(31))).toEqual([
      'LINKS_ACCESS_SERVICE_KEY must be at least 32 visible ASCII characters without spaces',
    ])
    expect(problemsOf({ ...jwt, LINKS_ACCESS_SERVICE_KEY: 'k'.repeat(32) })).toEqual([
      'LINKS_ACCESS_SERVICE_KEY needs LINKS_ACCESS_REVOCATIONS_URL',
    ])
    expect(
      problemsOf({ LINKS_ACCESS_REVOCATIONS_URL: url, LINKS_ACCESS_SERVICE_KEY: 'k'.repeat(32) }),
    ).toEqual(['LINKS_ACCESS_REVOCATIONS_URL works only with LINKS_ACCESS=jwt'])
  })

  test('L31.1b: a further domain is a host of its own, and is kept as an A-label', () => {
    const withBase = (LINKS_DOMAINS: string) =>
      problemsOf({ LINKS_BASE_URL: 'https://go.example.com', LINKS_DOMAINS })
    expect(readSettings({ LINKS_DOMAINS: '☕.example' }).domains).toEqual(['xn--53h.example'])
    for (const wrong of ['a b', 'a／b.example', 'https://l.example.org', '１.２.３.４', 'l.example.org:80'])
      expect(problemsOf({ LINKS_DOMAINS: `l.example.org,${wrong}` })).toEqual([
        `LINKS_DOMAINS must be a comma-separated list; each item is a host name without scheme, port and path, not "${wrong}"`,
      ])
    expect(readSettings({ LINKS_DOMAINS: 'L.Example.org, länk.example.' }).domains).toEqual([
      'l.example.org',
      'xn--lnk-qla.example',
    ])
    expect(withBase('GO.example.com')).toEqual([
      'LINKS_DOMAINS names the host of LINKS_BASE_URL, which is a domain already',
    ])
    expect(withBase('l.example.org,mcp.example.org')).toEqual([
      'LINKS_DOMAINS names a host that begins with mcp., which serves the MCP endpoint',
    ])
    expect(withBase('localhost')).toEqual([
      'LINKS_DOMAINS names this machine, which always serves the default domain',
    ])
    expect(withBase('l.example.org,L.EXAMPLE.ORG')).toEqual(['LINKS_DOMAINS names l.example.org twice'])
    for (const bad of ['https://l.example.org', 'l.example.org:8443', '192.0.2.1', 'a b', 'l.example.org,,'])
      expect(withBase(bad)).toHaveLength(1)
  })

  test('L31.3a: strict hosts require the base URL', () => {
    expect(problemsOf({ LINKS_STRICT_HOST: 'on' })).toEqual(['LINKS_STRICT_HOST needs LINKS_BASE_URL'])
    expect(problemsOf({ LINKS_STRICT_HOST: 'on', LINKS_BASE_URL: 'https://go.example.com' })).toEqual([])
  })

  test('the journal is always SQLite', () => {
    expect(problemsOf({ LINKS_JOURNAL: 'postgres://h/d' })).toHaveLength(1)
  })

  test('a setting with an invalid value is not also reported as missing', () => {
    expect(problemsOf({ ...jwt, LINKS_ACCESS_JWKS_URL: 'certs' })).toHaveLength(1)
    expect(problemsOf({ PROXY_HEADER: 'X', TRUSTED_PROXIES: 'proxy' })).toHaveLength(1)
  })
})

test('L24.15: a mistyped access mode never falls back to another one', () => {
  for (const access of ['JWT', 'none', 'off', 'loopback ', 'jwt,header']) {
    expect(problemsOf({ LINKS_ACCESS: access })).toHaveLength(1)
  }
})

test('an invalid database address or metrics token is never printed', () => {
  const problems = problemsOf({
    LINKS_DATABASE_URL: 'mysql://links:hunter2@db/links',
    LINKS_METRICS_TOKEN: 'hunter2',
  })
  expect(problems).toHaveLength(2)
  expect(problems.join()).not.toContain('hunter2')
})

test('a mistyped name is a warning, and variables of other programs are ignored', () => {
  expect(
    settingsWarnings({ LINKS_PROT: '1', MCP_OTHER: '1', HOME: '/', LINKS_METRICS_TOKEN_FILE: 'x' }),
  ).toEqual(['LINKS_PROT is not a setting and is ignored; did you mean LINKS_PORT?'])
})

test('docs/operate/settings.md matches the declarations', () => {
  const script = join(import.meta.dir, '../../../../scripts/settings-reference.ts')
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, '--check'])
  expect(stderr.toString()).toBe('')
  expect(exitCode).toBe(0)
})
