import { isbot } from 'isbot'
import type { BrowserName, DEVICE_TYPES, SystemName } from './visitor-values.ts'

export interface UserAgentFacts {
  readonly isBot: boolean
  readonly deviceType: (typeof DEVICE_TYPES)[number] | null
  readonly os: string | null
  readonly browser: string | null
}

// L13.2. The contract's list may be extended, not reduced. `ms-office` and `microsoft office` are the
// requests of Word, Excel and Outlook before they open a link in the browser.
const BOT =
  /bot\b|crawl|spider|slurp|facebookexternalhit|mediapartners|embedly|feedfetcher|whatsapp|skypeuri|preview|curl\/|wget\/|python-requests|go-http-client|java\/|okhttp|axios\/|node-fetch|headlesschrome|puppeteer|phantomjs|selenium|lighthouse|pagespeed|ms-?office|microsoft office|powershell\/|\bdart\/|jsdom\/|htmlunit|zombie\.js|amzn-user|barracuda|proofpoint|mimecast|gtmetrix/i

/** The comment of an Android browser, with the name of the phone: a Cubot, or a Discovery. */
const ANDROID_COMMENT = /\(Linux;[^()]*\)(?= AppleWebKit\/)/
/** A crawler that describes itself in this comment. */
const SELF_DESCRIPTION = /compatible;|https?:|@|(?:bot|crawler|spider)[\w-]*\//i

// From here on, patterns are case-sensitive: only the bot list is matched "whatever the case"
// (`Microsoft` contains `cros`). Android, Windows and Linux are exceptions, since some clients send
// them in lower case.
const ANDROID = /android/i

const SYSTEMS: readonly (readonly [RegExp, SystemName])[] = [
  // Chrome, Edge, Firefox and Opera on iOS, which in desktop mode say Macintosh.
  [/iPhone|iPad|iPod|(?:Cri|Edgi|Fxi|OPi)OS\//, 'ios'],
  [ANDROID, 'android'],
  [/windows/i, 'windows'],
  [/CrOS/, 'chromeos'],
  [/Mac OS X|Macintosh/, 'macos'],
  [/linux/i, 'linux'],
]

// "Chrome/ without Chromium, or CriOS/; then Chromium" is equivalent to the order CriOS, Chromium,
// Chrome.
const BROWSERS: readonly (readonly [RegExp, BrowserName])[] = [
  [/Edg\/|EdgA\/|EdgiOS\//, 'Edge'],
  [/OPR\/|OPiOS\/|OPT\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/YaBrowser\//, 'Yandex'],
  [/Brave/, 'Brave'],
  [/Vivaldi/, 'Vivaldi'],
  [/CriOS\//, 'Chrome'],
  [/Chromium/, 'Chromium'],
  [/Chrome\//, 'Chrome'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/^(?=.*Version\/).*Safari\//s, 'Safari'],
  [/MSIE|Trident/, 'IE'],
]

const UNKNOWN_CLIENT: UserAgentFacts = { isBot: true, deviceType: null, os: null, browser: null }

// 10,000 strings of at most 512 characters: 5 MB of Latin-1 at worst. Longer ones are rare and not
// cached.
const MAX_CACHED = 10_000
const MAX_CACHED_LENGTH = 512
const factsCache = new Map<string, UserAgentFacts>()

export function classifyUserAgent(userAgent: string | null): UserAgentFacts {
  if (userAgent === null) return UNKNOWN_CLIENT
  const cachedFacts = factsCache.get(userAgent)
  if (cachedFacts !== undefined) return cachedFacts

  const facts = factsOf(userAgent)
  if (userAgent.length > MAX_CACHED_LENGTH) return facts
  if (factsCache.size >= MAX_CACHED) factsCache.clear()
  factsCache.set(userAgent, facts)
  return facts
}

function factsOf(userAgent: string): UserAgentFacts {
  if (userAgent.trim() === '') return UNKNOWN_CLIENT
  return {
    isBot: isBot(withoutPhoneName(userAgent)),
    deviceType: deviceTypeOf(userAgent),
    os: firstMatch(SYSTEMS, userAgent) ?? 'other',
    browser: firstMatch(BROWSERS, userAgent) ?? 'Other',
  }
}

function isBot(text: string): boolean {
  return BOT.test(text) || isbot(text)
}

function withoutPhoneName(userAgent: string): string {
  return userAgent.replace(ANDROID_COMMENT, (comment) =>
    ANDROID.test(comment) && !SELF_DESCRIPTION.test(comment) ? '(Linux; Android)' : comment,
  )
}

function deviceTypeOf(userAgent: string): (typeof DEVICE_TYPES)[number] {
  const isMobile = userAgent.includes('Mobile')
  if (/iPad|Tablet/.test(userAgent) || (ANDROID.test(userAgent) && !isMobile)) return 'tablet'
  if (isMobile || /iPhone|iPod/.test(userAgent)) return 'mobile'
  return 'desktop'
}

function firstMatch(table: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined {
  return table.find(([pattern]) => pattern.test(userAgent))?.[1]
}
