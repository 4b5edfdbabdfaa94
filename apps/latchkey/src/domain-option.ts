import { toHost } from '@latchkey/links/urls/host'
import type { Domain } from '@latchkey/links/urls/slug'
import type { Settings } from '@latchkey/links/settings/settings'
import { UsageError } from './command.ts'

/** The domain that `--domain` names, as it is stored; the default domain without it. */
export function parseDomain(
  value: string | undefined,
  { baseUrl, domains }: Pick<Settings, 'baseUrl' | 'domains'>,
): Domain {
  if (value === undefined) return null
  const host = toHost(value)
  if (host === undefined) throw new UsageError(`--domain ${JSON.stringify(value)} is no host name`)
  if (baseUrl !== null && host === new URL(baseUrl).hostname) return null
  if (!domains.includes(host)) throw new UsageError(`--domain ${host} is not in LINKS_DOMAINS`)
  return host
}
