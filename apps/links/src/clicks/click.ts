import { channelOf, linkModeOf, utmOf } from './channel.ts'
import { isAddress } from './address.ts'
import { isSelfReferrer, referrerHost } from './referrer.ts'
import { textFromVisitor } from './storable-text.ts'
import { classifyUserAgent } from './user-agent.ts'

/** What clicks keep of a request: everything of L13.1, or neither user agent nor full referrer (L37.6). */
export type Privacy = 'full' | 'lean'

export interface JournalledClick {
  readonly slug: string
  readonly linkId: number
  readonly clickedAt: number // Unix seconds
  readonly host: string | null
  readonly query: string | null
  readonly referrer: string | null
  readonly userAgent: string | null
  readonly country: string | null
  readonly visitorFp: string | null
  readonly variant?: string | null
  readonly legacyPath?: string | null
}

export interface ClassifiedClick {
  readonly linkId: number
  readonly slug: string
  readonly clickedAt: number
  readonly referrer: string | null
  readonly referrerHost: string | null
  readonly country: string | null
  readonly deviceType: string | null
  readonly os: string | null
  readonly browser: string | null
  readonly linkMode: 'qr' | 'link'
  readonly channel: string
  readonly utmSource: string | null
  readonly utmMedium: string | null
  readonly utmCampaign: string | null
  readonly utmTerm: string | null
  readonly utmContent: string | null
  readonly userAgent: string | null
  readonly isBot: 0 | 1
  readonly isSelfReferrer: 0 | 1
  readonly visitorFp: string | null
  readonly variant: string | null
  readonly legacyPath: string | null
}

// L13.1
const REFERRER_LENGTH = 2048
const USER_AGENT_LENGTH = 1000

// All properties derive from the values as stored. Classifying the stored click again gives the
// same result.
export function classifyClick(click: JournalledClick): ClassifiedClick {
  const referrer = click.referrer === null ? null : textFromVisitor(click.referrer, REFERRER_LENGTH)
  const userAgent = click.userAgent === null ? null : textFromVisitor(click.userAgent, USER_AGENT_LENGTH)
  const utm = utmOf(click.query)
  const linkMode = linkModeOf(utm)
  const host = referrerHost(referrer)
  const client = classifyUserAgent(userAgent)
  return {
    linkId: click.linkId,
    slug: click.slug,
    clickedAt: click.clickedAt,
    referrer,
    referrerHost: host !== null && isAddress(host) ? null : host,
    country: click.country,
    deviceType: client.deviceType,
    os: client.os,
    browser: client.browser,
    linkMode,
    channel: channelOf({ linkMode, utm, referrer, referrerHost: host, ownHost: click.host }),
    utmSource: utm.source,
    utmMedium: utm.medium,
    utmCampaign: utm.campaign,
    utmTerm: utm.term,
    utmContent: utm.content,
    userAgent,
    isBot: client.isBot ? 1 : 0,
    isSelfReferrer: isSelfReferrer(referrer, click.host) ? 1 : 0,
    visitorFp: click.visitorFp,
    variant: click.variant ?? null,
    legacyPath: click.legacyPath ?? null,
  }
}

/** The properties of a click that `LINKS_PRIVACY=lean` keeps (L37.6). They cannot be derived again. */
export function leanClick(click: JournalledClick | ClassifiedClick): ClassifiedClick {
  return { ...(isClassified(click) ? click : classifyClick(click)), referrer: null, userAgent: null }
}

export function isClassified(click: JournalledClick | ClassifiedClick): click is ClassifiedClick {
  return 'channel' in click
}
