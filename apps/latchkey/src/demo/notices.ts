import type { Log } from '@latchkey/http/log'

/** What oidc-provider says at every start and is known here. */
const EXPLAINED = [
  // Bun is none of the runtimes that its maintainer tests; ours is tested by demo.test.ts.
  'Unsupported runtime',
  // Meant so: nothing of a demo outlives its process, and of its 1000 entries the least used make room.
  'in-memory adapter is used',
  // Meant so: logout tokens go to this machine, and to one address only.
  'failed to setup SSRF protection',
]

/**
 * oidc-provider speaks to the console, and stdout carries nothing but the log: what it says goes there, until the returned
 * function is called. What others say to the console is theirs.
 */
export function logNotices(log: Log): () => void {
  const { info, warn } = globalThis.console
  const redirect =
    (say: typeof info): typeof info =>
    (...words) => {
      const [notice] = words
      if (typeof notice !== 'string' || !/oidc-provider (NOTICE|WARNING): /.test(notice)) return say(...words)
      if (!EXPLAINED.some((known) => notice.includes(known)))
        log.warn('demo identity provider: notice', { notice })
      return undefined
    }
  Object.assign(globalThis.console, { info: redirect(info), warn: redirect(warn) })
  return () => void Object.assign(globalThis.console, { info, warn })
}
