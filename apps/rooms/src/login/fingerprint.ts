import { createHash } from 'node:crypto'
import { type ProviderConfig, issuerOf } from './provider-config.ts'

/** Equal for logins that are one another's continuation: same mode, issuer and client (R6.2). */
export function fingerprintOf(config: ProviderConfig): string {
  const parts = JSON.stringify([config.mode, issuerOf(config), config.clientId])
  return createHash('sha256').update(parts).digest('hex')
}
