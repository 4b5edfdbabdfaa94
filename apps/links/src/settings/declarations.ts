import {
  addressesOrNone,
  bearerToken,
  databaseUrl,
  headerName,
  httpUrl,
  integer,
  listenHost,
  onOff,
  oneOf,
  origin,
  rate,
  sqliteUrl,
  text,
} from '@latchkey/settings/kinds'
import type { Declarations } from '@latchkey/settings/settings'
import { safeUrl } from './kinds.ts'

export const DEFAULT_ASSERTION_HEADER = 'Cf-Access-Jwt-Assertion'

export const declarations = {
  host: {
    name: 'LINKS_HOST',
    kind: listenHost(),
    default: '127.0.0.1',
    sentence: 'Address to listen on',
    example: '0.0.0.0',
  },
  port: {
    name: 'LINKS_PORT',
    kind: integer(0, 65535),
    default: '8080',
    sentence: 'Port to listen on; 0 picks a free port',
    example: '8080',
  },
  databaseUrl: {
    name: 'LINKS_DATABASE_URL',
    kind: databaseUrl(),
    default: 'sqlite:./data/links.db',
    sentence: 'Database: embedded SQLite or PostgreSQL; missing folders are created',
    example: 'postgres://links@db.internal/links',
    secret: true,
  },
  journal: {
    name: 'LINKS_JOURNAL',
    kind: sqliteUrl(),
    default: 'sqlite:./data/links-journal.db',
    sentence: 'Click journal of this node: a local file, with PostgreSQL too',
    example: 'sqlite:/var/lib/latchkey/links-journal.db',
  },
  baseUrl: {
    name: 'LINKS_BASE_URL',
    kind: origin(),
    whenUnset: 'taken from the request',
    sentence:
      'Public origin, used in QR codes and the UI; if unset, forwarded host and scheme are read only from TRUSTED_PROXIES',
    example: 'https://go.example.com',
  },
  access: {
    name: 'LINKS_ACCESS',
    kind: oneOf(['loopback', 'jwt', 'header']),
    default: 'loopback',
    sentence:
      'Who may use the admin side: only this machine (loopback), or people admitted by the access layer (jwt, header)',
    example: 'jwt',
  },
  accessHeader: {
    name: 'LINKS_ACCESS_HEADER',
    kind: headerName(),
    whenUnset: `${DEFAULT_ASSERTION_HEADER} with LINKS_ACCESS=jwt`,
    sentence:
      'Header with the assertion (LINKS_ACCESS=jwt) or the identity (required with LINKS_ACCESS=header)',
    example: 'X-Forwarded-Email',
  },
  accessCookie: {
    name: 'LINKS_ACCESS_COOKIE',
    kind: headerName(),
    default: 'CF_Authorization',
    sentence: 'Cookie with the assertion (LINKS_ACCESS=jwt), read if the header is missing',
    example: 'CF_Authorization',
  },
  accessJwksUrl: {
    name: 'LINKS_ACCESS_JWKS_URL',
    kind: safeUrl(),
    sentence: "URL of the access layer's key set; required with LINKS_ACCESS=jwt",
    example: 'https://team.cloudflareaccess.com/cdn-cgi/access/certs',
  },
  accessIssuer: {
    name: 'LINKS_ACCESS_ISSUER',
    kind: text(),
    sentence: 'Issuer that the assertion must name exactly; required with LINKS_ACCESS=jwt',
    example: 'https://team.cloudflareaccess.com',
  },
  accessAudience: {
    name: 'LINKS_ACCESS_AUDIENCE',
    kind: text(),
    sentence: 'Audience that the assertion must name; required with LINKS_ACCESS=jwt',
    example: '4714c1358e65fe4b408ad6d432a5f878',
  },
  accessLogoutUrl: {
    name: 'LINKS_ACCESS_LOGOUT_URL',
    kind: httpUrl(),
    whenUnset: 'unset: no sign-out',
    sentence: 'URL that "Sign out" opens',
    example: 'https://go.example.com/cdn-cgi/access/logout',
  },
  redirectStatus: {
    name: 'LINKS_REDIRECT_STATUS',
    kind: oneOf([301, 302, 307, 308]),
    default: '302',
    sentence: 'HTTP status of redirects',
    example: '307',
  },
  rateLimit: {
    name: 'LINKS_RATE_LIMIT',
    kind: rate(),
    default: '600/min',
    sentence: 'Rate limit per API key and node',
    example: '100/sec',
  },
  keysPerPerson: {
    name: 'LINKS_KEYS_PER_PERSON',
    kind: integer(1, 10_000),
    default: '100',
    sentence: 'Maximum number of API keys per person; does not apply to `latchkey keys create`',
    example: '10',
  },
  titleFetch: {
    name: 'LINKS_TITLE_FETCH',
    kind: onOff(),
    default: 'on',
    sentence: "Fetch the destination's title as the label of a new link",
    example: 'off',
  },
  retentionDays: {
    name: 'LINKS_RETENTION_DAYS',
    // A hundred years: far beyond any use, and small enough that no date overflows.
    kind: integer(1, 36500),
    whenUnset: 'unset: no limit',
    sentence: 'Days to keep raw clicks; totals are always kept',
    example: '365',
  },
  proxyHeader: {
    name: 'PROXY_HEADER',
    kind: headerName(),
    sentence: 'Header with the client address, set by the proxy; needs TRUSTED_PROXIES',
    example: 'X-Forwarded-For',
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    kind: addressesOrNone(),
    sentence: 'Addresses and CIDR ranges of proxies whose headers are trusted',
    example: '10.0.0.0/8,::1',
  },
  countryHeader: {
    name: 'LINKS_COUNTRY_HEADER',
    kind: headerName(),
    sentence: "Header with the visitor's country, set by the edge; needs TRUSTED_PROXIES",
    example: 'CF-IPCountry',
  },
  metricsToken: {
    name: 'LINKS_METRICS_TOKEN',
    kind: bearerToken(),
    whenUnset: 'unset: metrics only from this machine',
    sentence: 'Bearer token for /_/metrics from other machines',
    example: 'output-of-openssl-rand-hex-24',
    secret: true,
  },
  mcpOauthIssuer: {
    name: 'MCP_OAUTH_ISSUER',
    kind: safeUrl(),
    sentence: 'External authorization server for MCP; requires MCP_OAUTH_AUDIENCE',
    example: 'https://login.example.com',
  },
  mcpOauthAudience: {
    name: 'MCP_OAUTH_AUDIENCE',
    kind: text(),
    sentence: 'Audience of access tokens for MCP; requires MCP_OAUTH_ISSUER',
    example: 'https://go.example.com/_/mcp',
  },
  mcpAccessAudience: {
    name: 'MCP_ACCESS_AUDIENCE',
    kind: text(),
    sentence: "Audience of the access layer's assertion at the MCP endpoint; only with LINKS_ACCESS=jwt",
    example: '8f3e2c1d7b6a5948',
  },
  mcpApiKeys: {
    name: 'MCP_API_KEYS',
    kind: onOff(),
    default: 'off',
    sentence: 'Accept API keys at the MCP endpoint',
    example: 'on',
  },
} satisfies Declarations
