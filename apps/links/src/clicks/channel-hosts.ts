// The tables of L13.4. An entry covers its subdomains, and the most specific entry wins:
// mail.google.com is webmail and docs.google.com has no channel of its own, although both belong to
// google.com.

type HostChannel = 'email' | 'search' | 'social' | 'referral'

const WEBMAIL = splitWords(`
  gmail.com mail.google.com inbox.google.com googlemail.com
  outlook.com outlook.live.com outlook.office.com outlook.office365.com outlook.cloud.microsoft mail.live.com
  hotmail.com mail.yahoo.com mail.yahoo.co.jp mail.aol.com
  mail.proton.me mail.protonmail.com mail.protonmail.ch tuta.com mail.tutanota.com
  mail.zoho.com mail.zoho.eu mail.zoho.in fastmail.com hey.com mailbox.org posteo.de
  navigator.gmx.net 3c.gmx.net bap.navigator.gmx.net navigator-bs.gmx.net navigator-bs.gmx.com deref-gmx.net
  deref-gmx.com navigator.web.de 3c.web.de bap.navigator.web.de deref-web.de deref-1und1.de
  mail.com deref-mail.com email.t-online.de email.freenet.de webmail.freenet.de mail.ionos.com
  mail.orange.fr messagerie.orange.fr webmail.orange.fr webmail.sfr.fr messagerie.sfr.fr webmail.free.fr
  zimbra.free.fr mail.laposte.net mail.libero.it mail1.libero.it mail.tiscali.it mail.virgilio.it
  mail.telenet.be webmail.kpnmail.nl webmail.ziggo.nl webmail.telia.com
  poczta.onet.pl poczta.wp.pl poczta.o2.pl poczta.interia.pl email.seznam.cz mail.centrum.cz freemail.hu
  mail.abv.bg mail.ukr.net e.mail.ru mail.yandex.ru mail.yandex.com mail.rambler.ru
  mail.qq.com exmail.qq.com mail.163.com mail.126.com mail.sina.com.cn mail.sohu.com mail.aliyun.com
  mail.naver.com mail.daum.net mail.rediff.com mail.uol.com.br email.bol.uol.com.br mail.comcast.net
  connect.xfinity.com mail.icloud.com
`)

const SEARCH = splitWords(`
  bing.com search.msn.com duckduckgo.com duck.com yahoo.com search.yahoo.co.jp search.aol.com search.brave.com
  ecosia.org startpage.com qwant.com kagi.com mojeek.com swisscows.com metager.org metager.de you.com
  presearch.com presearch.org gibiru.com lilo.org search.lycos.com excite.com ask.com dogpile.com metacrawler.com
  webcrawler.com info.com searchencrypt.com search.becovi.com searx.be
  yandex.ru yandex.com yandex.com.tr yandex.by yandex.kz yandex.uz ya.ru go.mail.ru nova.rambler.ru
  baidu.com sogou.com so.com sm.cn petalsearch.com search.naver.com search.daum.net search.zum.com coccoc.com
  search.goo.ne.jp websearch.rakuten.co.jp search.seznam.cz suche.t-online.de suche.web.de suche.gmx.net
  search.ch szukaj.onet.pl search.virgilio.it arianna.libero.it lemoteur.orange.fr sapo.pt search.marginalia.nu
`)

const SOCIAL = splitWords(`
  facebook.com fb.com fb.me fb.watch messenger.com m.me instagram.com instagr.am ig.me threads.net threads.com
  x.com twitter.com t.co linkedin.com lnkd.in reddit.com redd.it tiktok.com youtube.com youtu.be
  snapchat.com whatsapp.com wa.me telegram.org telegram.me t.me discord.com discordapp.com discord.gg slack.com
  pinterest.com pin.it pinterest.co.uk pinterest.ca pinterest.com.au pinterest.com.mx pinterest.co.kr
  pinterest.at pinterest.ch pinterest.cl pinterest.de pinterest.dk pinterest.es pinterest.fr pinterest.ie
  pinterest.it pinterest.jp pinterest.nz pinterest.ph pinterest.pt pinterest.ru pinterest.se
  bsky.app bsky.social mastodon.social mastodon.online mastodon.world mstdn.social mstdn.jp mas.to fosstodon.org
  hachyderm.io infosec.exchange pixelfed.social lemmy.world lemmy.ml
  tumblr.com flickr.com quora.com nextdoor.com xing.com twitch.tv vimeo.com dailymotion.com disqus.com
  news.ycombinator.com lobste.rs producthunt.com livejournal.com truthsocial.com gab.com gettr.com parler.com
  mewe.com minds.com rumble.com skype.com viber.com line.me kakao.com band.us mixi.jp b.hatena.ne.jp
  vk.com vk.ru ok.ru my.mail.ru dzen.ru
  weibo.com weibo.cn t.cn douyin.com wechat.com mp.weixin.qq.com qzone.qq.com xiaohongshu.com xhslink.com
  zhihu.com bilibili.com b23.tv douban.com renren.com tieba.baidu.com kuaishou.com
`)

// Other services under a search engine's domain.
const NOT_SEARCH = splitWords(`
  accounts.google.com calendar.google.com chat.google.com classroom.google.com cloud.google.com
  colab.research.google.com developers.google.com docs.google.com drive.google.com groups.google.com
  keep.google.com meet.google.com messages.google.com photos.google.com play.google.com script.google.com
  sites.google.com support.google.com translate.google.com
  finance.yahoo.com news.yahoo.com sports.yahoo.com groups.yahoo.com
  disk.yandex.ru docs.yandex.ru metrika.yandex.ru pan.baidu.com
`)

// Every suffix of a Google search domain, google.<suffix>.
const GOOGLE_SUFFIXES = splitWords(`
  com cat ad ae al am as at az ba be bf bg bi bj bs bt by ca cd cf cg ch ci cl cm cn cv cz de dj dk dm dz ee es
  fi fm fr ga ge gg gl gm gr gy hn hr ht hu ie im iq is it je jo kg ki kz la li lk lt lu lv md me mg mk ml mn mu
  mv mw ne nl no nr nu pl pn ps pt ro rs ru rw sc se sh si sk sm sn so sr st td tg tl tm tn to tt vu ws
  com.af com.ag com.ar com.au com.bd com.bh com.bn com.bo com.br com.bz com.co com.cu com.cy com.do com.ec com.eg
  com.et com.fj com.gh com.gi com.gt com.hk com.jm com.kh com.kw com.lb com.ly com.mm com.mt com.mx com.my com.na
  com.ng com.ni com.np com.om com.pa com.pe com.pg com.ph com.pk com.pr com.py com.qa com.sa com.sb com.sg com.sl
  com.sv com.tj com.tr com.tw com.ua com.uy com.vc com.vn
  co.ao co.bw co.ck co.cr co.id co.il co.in co.jp co.ke co.kr co.ls co.ma co.mz co.nz co.th co.tz co.ug co.uk
  co.uz co.ve co.vi co.za co.zm co.zw
`)

const HOSTS = new Map<string, HostChannel>([
  ...WEBMAIL.map((host) => [host, 'email'] as const),
  ...SEARCH.map((host) => [host, 'search'] as const),
  ...GOOGLE_SUFFIXES.map((suffix) => [`google.${suffix}`, 'search'] as const),
  ...SOCIAL.map((host) => [host, 'social'] as const),
  ...NOT_SEARCH.map((host) => [host, 'referral'] as const),
])

// The longest name that DNS allows (RFC 1035 section 2.3.4). Longer names would only cost time.
const MAX_HOST_LENGTH = 253

export function channelOfHost(host: string): HostChannel | undefined {
  if (host.length > MAX_HOST_LENGTH) return undefined
  let domain = host
  while (!HOSTS.has(domain)) {
    const dot = domain.indexOf('.')
    if (dot === -1) return undefined
    domain = domain.slice(dot + 1)
  }
  return HOSTS.get(domain)
}

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/)
}
