import type { ProviderConfig } from './provider-config.ts'

/** Hosts of providers at which everyone may have an account. */
const OPEN_HOSTS: Readonly<Record<string, string>> = {
  'accounts.google.com': 'Google',
  'github.com': 'GitHub',
  'api.github.com': 'GitHub',
  'gitlab.com': 'GitLab.com',
  'discord.com': 'Discord',
  'discordapp.com': 'Discord',
  'slack.com': 'Slack',
  'appleid.apple.com': 'Apple',
  'www.facebook.com': 'Facebook',
  'www.linkedin.com': 'LinkedIn',
  'id.twitch.tv': 'Twitch',
  'bitbucket.org': 'Bitbucket',
  'codeberg.org': 'Codeberg',
}

const MICROSOFT_HOST = 'login.microsoftonline.com'
/** Tenants that sign in the accounts of all tenants, or the private accounts of everyone. */
const OPEN_TENANTS = ['common', 'organizations', 'consumers', '9188040d-6c67-4c5b-b112-36a304b66dad']

/**
 * The provider if everyone in the world can have an account there and no condition keeps anyone out
 * (R38.1e); otherwise null.
 */
export function findOpenProvider(config: ProviderConfig): string | null {
  if (config.conditions.length > 0) return null
  const addresses =
    config.mode === 'oauth2' ? [config.authorizationEndpoint, config.userinfoEndpoint] : [config.issuer]
  return addresses.map((address) => openProviderAt(new URL(address))).find((name) => name !== null) ?? null
}

function openProviderAt({ hostname, pathname }: URL): string | null {
  const [, tenant = ''] = pathname.toLowerCase().split('/')
  if (hostname === MICROSOFT_HOST) return OPEN_TENANTS.includes(tenant) ? `Microsoft (${tenant})` : null
  return OPEN_HOSTS[hostname] ?? null
}
