import { createHash } from 'node:crypto'
import { type ProviderConfig, issuerOf, subjectSourceOf } from './provider-config.ts'

/** Equal for logins that are one another's continuation: same mode, issuer and client (R6.2), and subjects from the same place. */
export function fingerprintOf(config: ProviderConfig): string {
  const { userinfoEndpoint, subjectPath } = subjectSourceOf(config)
  const parts = JSON.stringify([
    config.mode,
    issuerOf(config),
    config.clientId,
    userinfoEndpoint,
    subjectPath,
  ])
  return createHash('sha256').update(parts).digest('hex')
}
