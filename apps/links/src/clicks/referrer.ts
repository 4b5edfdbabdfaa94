// L13.3. Keys in lower case, since the scheme's authority is compared without regard to case.
const APP_HOSTS = new Map([
  ['com.linkedin.android', 'linkedin.com'],
  ['com.twitter.android', 'x.com'],
  ['com.facebook.katana', 'facebook.com'],
  ['com.facebook.lite', 'facebook.com'],
  ['com.instagram.android', 'instagram.com'],
  ['com.zhiliaoapp.musically', 'tiktok.com'],
  ['com.ss.android.ugc.trill', 'tiktok.com'],
  ['com.reddit.frontpage', 'reddit.com'],
  ['com.pinterest', 'pinterest.com'],
  ['com.slack', 'slack.com'],
  ['com.discord', 'discord.com'],
  ['org.telegram.messenger', 'telegram.org'],
  ['com.whatsapp', 'whatsapp.com'],
  ['com.google.android.youtube', 'youtube.com'],
  ['com.google.android.gm', 'gmail.com'],
  ['com.microsoft.office.outlook', 'outlook.com'],
])

const APP_REFERRER = /^(?:android|ios)-app:\/\/([^/?#]*)/i

export function isAppReferrer(referrer: string): boolean {
  return APP_REFERRER.test(referrer)
}

export function referrerHost(referrer: string | null): string | null {
  if (referrer === null) return null
  const app = APP_REFERRER.exec(referrer)?.[1]
  if (app !== undefined) return APP_HOSTS.get(app.toLowerCase()) ?? null
  const url = URL.parse(referrer)
  return url === null ? null : bareHost(url)
}

// Ports are ignored on both sides. Behind a proxy the Host header often has a different port than
// the browser's address bar, and browsers omit default ports that other clients write.
export function isSelfReferrer(referrer: string | null, ownHost: string | null): boolean {
  if (referrer === null || ownHost === null) return false
  const url = URL.parse(referrer)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false
  const own = referrerHost(`http://${ownHost}`)
  if (own === null || bareHost(url) !== own) return false
  if (url.pathname === '/') return url.search === '' && url.hash === ''
  return /^\/(?!_)[^/]+$/.test(url.pathname)
}

// The port is not part of the host (RFC 3986 section 3.2), and would split one site into several
// rows.
function bareHost(url: URL): string | null {
  const host = url.hostname.toLowerCase()
  return (host.startsWith('www.') ? host.slice(4) : host) || null
}
