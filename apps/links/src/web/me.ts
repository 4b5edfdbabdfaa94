const { identity = '', origin = location.origin, signOut, mcp = '' } = document.documentElement.dataset

/** Who looks at the pages, the origin of the short links, and what is set up here; the server writes it into the page. */
export const me = {
  identity,
  origin,
  canSignOut: signOut === 'true',
  /** How the MCP endpoint admits assistants; nothing: it is off. */
  mcp: (['oauth', 'access', 'keys', 'local'] as const).filter((method) => mcp.split(' ').includes(method)),
}
