import type { Rule, Values } from '@latchkey/settings/settings'
import type { Condition } from '../identity/conditions.ts'
import type { declarations } from './declarations.ts'

type AccessRule = Rule<typeof declarations>

function requiredWith(key: 'accessConditions' | 'accessServiceKey', name: string): AccessRule {
  return {
    settings: ['accessOrigins', key],
    problem: ({ accessOrigins, ...values }) =>
      accessOrigins === null && values[key] !== null ? `is required with ${name}` : null,
  }
}

export const accessRules: readonly AccessRule[] = [
  requiredWith('accessConditions', 'ROOMS_ACCESS_REQUIRE'),
  requiredWith('accessServiceKey', 'ROOMS_ACCESS_SERVICE_KEY'),
  {
    settings: ['accessOrigins', 'trustedProxies'],
    problem: ({ accessOrigins, trustedProxies }) =>
      accessOrigins !== null && trustedProxies.length === 0 ? 'needs the proxies in TRUSTED_PROXIES' : null,
  },
  {
    settings: ['accessOrigins', 'allowedHosts'],
    problem: ({ accessOrigins, allowedHosts }) =>
      accessOrigins !== null && hasRepeatedHost([...accessOrigins, ...(allowedHosts ?? [])])
        ? 'must name each host and port once, and none of ALLOWED_HOSTS'
        : null,
  },
]

/** Null unless Rooms is an access layer. */
export function accessConditionsOf({
  accessOrigins,
  accessConditions,
}: Values<typeof declarations>): readonly Condition[] | null {
  return accessOrigins === null ? null : (accessConditions ?? [])
}

/** Whether two origins have the same host and port. */
export function hasRepeatedHost(origins: readonly string[]): boolean {
  return new Set(origins.map(hostAndPort)).size < origins.length
}

function hostAndPort(origin: string): string {
  const { hostname, port, protocol } = new URL(origin)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}
