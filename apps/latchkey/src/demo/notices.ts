import type { Log } from '@latchkey/http/log'

/** Notices of oidc-provider at every start that need no attention. */
const EXPECTED = [
  // Its maintainer does not test Bun; demo.test.ts does.
  'Unsupported runtime',
  // Intended: a demo stores nothing beyond its process, and evicts the least used of its 1000
  // entries.
  'in-memory adapter is used',
  // Intended: logout tokens go to one address of this machine only.
  'failed to setup SSRF protection',
]

/**
 * Redirects the console output of oidc-provider to the log, because stdout contains only the log.
 * Other console output is not affected. The returned function ends the redirection.
 */
export function logNotices(log: Log): () => void {
  const { info, warn } = globalThis.console
  const redirect =
    (print: typeof info): typeof info =>
    (...args) => {
      const [notice] = args
      if (typeof notice !== 'string' || !/oidc-provider (NOTICE|WARNING): /.test(notice))
        return print(...args)
      if (!EXPECTED.some((expected) => notice.includes(expected)))
        log.warn('demo identity provider: notice', { notice })
      return undefined
    }
  Object.assign(globalThis.console, { info: redirect(info), warn: redirect(warn) })
  return () => void Object.assign(globalThis.console, { info, warn })
}
