// L13.3. Packages from the lists of Matomo (searchengine-and-social-list) and Snowplow
// (referer-parser), and from the store. In lower case, since the authority of the scheme is compared
// without regard to case.
const APP_HOSTS = new Map(
  `
  com.google.android.googlequicksearchbox google.com    com.google.android.gm gmail.com
  com.google.android.gm.lite gmail.com                  com.google.android.youtube youtube.com
  com.google.android.apps.messaging messages.google.com com.google.android.apps.dynamite chat.google.com
  com.google.android.apps.docs docs.google.com          com.google.android.keep keep.google.com
  com.google.android.calendar calendar.google.com       com.google.android.apps.searchlite google.com
  com.microsoft.office.outlook outlook.com              com.microsoft.bing bing.com
  com.microsoft.teams teams.microsoft.com               com.skype.raider skype.com
  com.yahoo.mobile.client.android.mail mail.yahoo.com   com.aol.mobile.aolapp mail.aol.com
  ch.protonmail.android mail.proton.me                  com.fastmail.app fastmail.com
  com.basecamp.hey hey.com                              de.gmx.mobile.android.mail navigator.gmx.net
  de.web.mobile.android.mail navigator.web.de           ru.mail.mailapp e.mail.ru
  ru.yandex.mail mail.yandex.ru                         ru.yandex.searchplugin yandex.ru
  com.duckduckgo.mobile.android duckduckgo.com          com.ecosia.android ecosia.org
  com.baidu.searchbox baidu.com                         com.nhn.android.search search.naver.com
  com.facebook.katana facebook.com                      com.facebook.lite facebook.com
  com.facebook.orca messenger.com                       com.facebook.mlite messenger.com
  com.instagram.android instagram.com                   com.instagram.lite instagram.com
  com.instagram.barcelona threads.net                   com.whatsapp whatsapp.com
  com.whatsapp.w4b whatsapp.com                         com.twitter.android x.com
  com.twitter.android.lite x.com                        com.linkedin.android linkedin.com
  com.linkedin.android.lite linkedin.com                com.reddit.frontpage reddit.com
  com.zhiliaoapp.musically tiktok.com                   com.ss.android.ugc.trill tiktok.com
  com.snapchat.android snapchat.com                     com.pinterest pinterest.com
  com.pinterest.twa pinterest.com                       com.slack slack.com
  com.discord discord.com                               org.telegram.messenger telegram.org
  org.telegram.messenger.web telegram.org               org.thunderdog.challegram telegram.org
  org.joinmastodon.android mastodon.social              xyz.blueskyweb.app bsky.app
  com.tumblr tumblr.com                                 com.quora.android quora.com
  com.vkontakte.android vk.com                          ru.ok.android ok.ru
  com.viber.voip viber.com                              jp.naver.line.android line.me
  com.kakao.talk kakao.com                              com.tencent.mm wechat.com
  com.sina.weibo weibo.com                              tv.twitch.android.app twitch.tv
  com.vimeo.android.videoapp vimeo.com                  com.nextdoor nextdoor.com
  com.xing.android xing.com
  `
    .trim()
    .split(/\s{2,}/)
    .map((entry) => entry.split(' ') as [packageName: string, host: string]),
)

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
// the address that the browser shows, and browsers omit default ports that other clients write.
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
