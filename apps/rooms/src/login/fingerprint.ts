import { createHash } from 'node:crypto'
import { type ProviderConfig, issuerOf, subjectSourceOf } from '../identity/provider-config.ts'

/**
 * A hash of mode, issuer, client id and subject source. A login must end with the fingerprint with
 * which it started (R6.2).
 */
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
