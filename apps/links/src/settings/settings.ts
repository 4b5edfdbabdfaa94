import { type Environment, type Rule, type Values, parseSettings } from '@latchkey/settings/settings'
import { isLoopbackHost } from '@latchkey/http/safe-url'
import { findUnknownSettings } from '@latchkey/settings/unknown'
import { isMcpHost } from '../urls/host.ts'
import { DEFAULT_ASSERTION_HEADER, declarations } from './declarations.ts'

/** The identity of everyone who uses a loopback instance. */
export const LOOPBACK_IDENTITY = 'admin@localhost'

export type Settings = Values<typeof declarations> & {
  readonly trustedProxies: readonly string[]
  readonly faviconFetch: boolean
  readonly admins: readonly string[]
  readonly domains: readonly string[]
}

type LinksRule = Rule<typeof declarations>
type Key = keyof typeof declarations

function requiredWith(access: Settings['access'], key: Key): LinksRule {
  return {
    settings: [key, 'access'],
    problem: (values) =>
      values.access === access && isMissing(values[key]) ? `is required with LINKS_ACCESS=${access}` : null,
  }
}

function needs(key: Key, other: Key): LinksRule {
  return {
    settings: [key, other],
    problem: (values) =>
      values[key] !== null && isMissing(values[other]) ? `needs ${declarations[other].name}` : null,
  }
}

function onlyWithJwt(key: Key): LinksRule {
  return {
    settings: [key, 'access'],
    problem: (values) =>
      values[key] !== null && values.access !== 'jwt' ? 'works only with LINKS_ACCESS=jwt' : null,
  }
}

/** The default domain and hosts with other uses are no further domains. */
function findDomainProblem(domains: readonly string[], baseUrl: string | null): string | null {
  const defaultHost = baseUrl === null ? null : new URL(baseUrl).hostname
  for (const [index, domain] of domains.entries()) {
    if (domain === defaultHost) return 'names the host of LINKS_BASE_URL, which is a domain already'
    if (isLoopbackHost(domain)) return 'names this machine, which always serves the default domain'
    if (isMcpHost(domain, 0)) return 'names a host that begins with mcp., which serves the MCP endpoint'
    if (domains.indexOf(domain) < index) return `names ${domain} twice`
  }
  return null
}

/** An empty list of proxies counts as unset. */
function isMissing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0)
}

const rules: readonly LinksRule[] = [
  requiredWith('jwt', 'accessJwksUrl'),
  requiredWith('jwt', 'accessIssuer'),
  requiredWith('jwt', 'accessAudience'),
  needs('accessRevocationsUrl', 'accessServiceKey'),
  needs('accessServiceKey', 'accessRevocationsUrl'),
  onlyWithJwt('accessRevocationsUrl'),
  requiredWith('header', 'accessHeader'),
  requiredWith('header', 'trustedProxies'),
  needs('proxyHeader', 'trustedProxies'),
  needs('countryHeader', 'trustedProxies'),
  {
    settings: ['domains', 'baseUrl'],
    problem: ({ domains, baseUrl }) => findDomainProblem(domains ?? [], baseUrl),
  },
  {
    settings: ['strictHost', 'baseUrl'],
    problem: ({ strictHost, baseUrl }) => (strictHost && baseUrl === null ? 'needs LINKS_BASE_URL' : null),
  },
  needs('mcpOauthIssuer', 'mcpOauthAudience'),
  needs('mcpOauthAudience', 'mcpOauthIssuer'),
  onlyWithJwt('mcpAccessAudience'),
]

/** Throws `SettingsError` with every problem. */
export function readSettings(env: Environment): Settings {
  const values = parseSettings(declarations, env, rules)
  const assertionHeader = values.access === 'jwt' ? DEFAULT_ASSERTION_HEADER : null
  return {
    ...values,
    accessHeader: values.accessHeader ?? assertionHeader,
    trustedProxies: values.trustedProxies ?? [],
    domains: values.domains ?? [],
    // Everyone who reaches a loopback instance may change its configuration anyway.
    admins: [...(values.admins ?? []), ...(values.access === 'loopback' ? [LOOPBACK_IDENTITY] : [])],
    faviconFetch: values.faviconFetch ?? values.titleFetch,
  }
}

/** Returns one sentence for each unknown `LINKS_…` variable, to be printed on stderr at start. */
export function settingsWarnings(env: Environment): string[] {
  return findUnknownSettings(declarations, env, ['LINKS_'])
}

/** False if no credential could ever be valid for the MCP endpoint: then there is none. */
export function isMcpConfigured(settings: Settings): boolean {
  const { access, mcpOauthIssuer, mcpAccessAudience, mcpApiKeys } = settings
  return access === 'loopback' || mcpOauthIssuer !== null || mcpAccessAudience !== null || mcpApiKeys
}
