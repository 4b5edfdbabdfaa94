const {
  identity = '',
  origin = location.origin,
  signOut,
  mcp = '',
  domains = '',
} = document.documentElement.dataset

/**
 * The user's identity, the origin of short URLs and the setup of the instance, from the HTML of the
 * page.
 */
export const me = {
  identity,
  /** The origin of the default domain. */
  origin,
  /** Hosts of further domains. Pages show domains only if there are any. */
  domains: domains.split(' ').filter((host) => host !== ''),
  canSignOut: signOut === 'true',
  /** Ways to authenticate at the MCP endpoint. Empty if it is disabled. */
  mcp: (['oauth', 'access', 'keys', 'local'] as const).filter((method) => mcp.split(' ').includes(method)),
}
