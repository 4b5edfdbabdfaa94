import { channelOfHost } from './channel-hosts.ts'
import { isAppReferrer, referrerHost } from './referrer.ts'
import { textFromVisitor } from './storable-text.ts'

export interface Utm {
  readonly source: string | null
  readonly medium: string | null
  readonly campaign: string | null
  readonly term: string | null
  readonly content: string | null
}

type LinkMode = 'qr' | 'link'
type Channel = 'qr' | 'email' | 'social' | 'campaign' | 'search' | 'referral' | 'direct'

interface ChannelClick {
  readonly linkMode: LinkMode
  readonly utm: Utm
  readonly referrer: string | null
  readonly referrerHost: string | null
  readonly ownHost: string | null
}

const NO_UTM: Utm = { source: null, medium: null, campaign: null, term: null, content: null }
const UTM_LENGTH = 200
const EMAIL_MEDIUMS = new Set(['email', 'e-mail', 'newsletter'])

export function utmOf(query: string | null): Utm {
  if (query === null || query === '') return NO_UTM
  // URLSearchParams keeps malformed percent-encoding unchanged, while decodeURIComponent throws.
  const values = new URLSearchParams(query)
  return {
    source: utmValue(values.get('utm_source')),
    medium: utmValue(values.get('utm_medium')),
    campaign: utmValue(values.get('utm_campaign')),
    term: utmValue(values.get('utm_term')),
    content: utmValue(values.get('utm_content')),
  }
}

function utmValue(value: string | null): string | null {
  return value === null ? null : textFromVisitor(value.toLowerCase(), UTM_LENGTH)
}

export function linkModeOf(utm: Utm): LinkMode {
  return utm.medium === 'qr' ? 'qr' : 'link'
}

// The first match decides (L13.4).
export function channelOf(click: ChannelClick): Channel {
  if (click.linkMode === 'qr') return 'qr'
  return campaignChannel(click.utm) ?? referrerChannel(click)
}

function campaignChannel({ source, medium, campaign }: Utm): Channel | undefined {
  if (medium !== null && EMAIL_MEDIUMS.has(medium)) return 'email'
  if (medium === 'social') return 'social'
  return source === null && medium === null && campaign === null ? undefined : 'campaign'
}

function referrerChannel(click: ChannelClick): Channel {
  if (click.referrer === null) return 'direct'
  if (click.referrerHost === null) return isAppReferrer(click.referrer) ? 'referral' : 'direct'
  const channel = channelOfHost(click.referrerHost)
  if (channel !== undefined) return channel
  const ownHost = click.ownHost === null ? null : referrerHost(`http://${click.ownHost}`)
  return click.referrerHost === ownHost ? 'direct' : 'referral'
}
