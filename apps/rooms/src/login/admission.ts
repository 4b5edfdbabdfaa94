import { findOpenProvider } from '../identity/open-provider.ts'
import type { ProviderConfig } from '../identity/provider-config.ts'
import type { ProviderStatus } from './provider.ts'

/** Who may sign in, for the status of a provider. */
export function admissionOf(config: ProviderConfig): Pick<ProviderStatus, 'conditions' | 'openProvider'> {
  return { conditions: config.conditions.map(({ text }) => text), openProvider: findOpenProvider(config) }
}
