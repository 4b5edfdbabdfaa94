import type { Language } from '@latchkey/web/languages'
import type { Item, Source } from './stored-fields.ts'

const enItems: Record<Item, string> = {
  time: 'When you clicked, to the second',
  link: 'The short link you followed',
  referrer: 'The page you came from, its site, and whether it’s part of this service',
  country: 'Your country',
  device: 'Kind of device, operating system and browser',
  user_agent: 'Your browser’s description of itself (user agent), up to 1,000 characters',
  bot: 'Whether it was a person or a program',
  campaign: 'Campaign values in the address (utm_…), and whether it came from a QR code',
  channel: 'Kind of source, such as search, email or a campaign',
  visitor: 'A code that counts you once a day',
  number: 'A sequence number',
}

const enSources: Record<Source, string> = {
  service: 'This server',
  address: 'The address you opened',
  user_agent: 'User agent, sent by your browser',
  referer: 'Referrer, sent by your browser',
  query: 'The address you opened',
  source: 'The address you opened and the referrer',
  country: 'Your IP address, looked up on this server',
  visitor: 'IP address and user agent, hashed with a random key that is deleted after the day',
}

const en = {
  title: 'Privacy',
  intro:
    'What this server stores when you follow one of its short links. Generated from its current settings.',
  stored: 'Stored with each click',
  what: 'What',
  from: 'Where it comes from',
  items: enItems,
  leanReferrer: 'The site you came from, without the page, and whether it’s part of this service',
  sources: enSources,
  countryHeader: 'The network in front of this server, or your IP address, looked up on this server',
  notWithGpc: 'Not stored with Global Privacy Control',
  duration: 'How long',
  keptDays: {
    one: 'Individual clicks are deleted {{days}} day after the end of their day (UTC), within an hour.',
    other: 'Individual clicks are deleted {{days}} days after the end of their day (UTC), within an hour.',
  },
  keptForever: 'Individual clicks are kept indefinitely.',
  rollups:
    'Totals are kept indefinitely: clicks per hour, by country, site, device, system, browser, channel and campaign value.',
  salts:
    'Each day’s random key is deleted one hour after the day ends, or as soon as the server runs again. From then on, this server can’t tell whether a code belongs to your IP address.',
  backups: 'Earlier backups keep what they contain.',
  never: 'Never stored',
  neverAddress: 'Your IP address. It isn’t logged either.',
  neverCookies: 'Cookies. This server sets none for visitors, and its pages load nothing from other sites.',
  neverQuery: 'Anything else in the address you opened, once the click is counted.',
  neverQueryLean: 'Anything else in the address you opened.',
  neverLean:
    'Your browser’s user agent, and the page you came from. Only what’s in the table is taken from them.',
  seen: 'Who sees it',
  seenOperator: 'The operator of this server, who has access to its database and backups.',
  seenLocal:
    'People at the server itself, on its admin pages: individual clicks, without the user agent and code.',
  seenAdmitted:
    'People the operator gives access to the admin pages: individual clicks, without the user agent and code.',
  seenKeys: 'Programs these people give an API key: totals.',
  seenKeysAndAssistants: 'Programs these people give an API key, and their AI assistants: totals.',
  seenShared: 'Anyone with a public analytics URL: totals for one link or group of links.',
  sentToNoOne: 'This software sends data about clicks to no one else.',
  gpc: 'Global Privacy Control',
  gpcOn:
    'This server honours it. If your browser sends this signal, your click is counted without your country, the page you came from and the code.',
  gpcOff: 'This server ignores this browser signal.',
  fetches:
    'This server fetches titles or icons from the sites its links redirect to. These requests say nothing about you, and following a link never triggers one.',
  scope:
    'Applies to the Latchkey Links software, not to networks and proxies in front of it, or to the sites its links redirect to.',
  json: 'Machine-readable version',
}

export type PrivacyTexts = typeof en

const sv: PrivacyTexts = {
  title: 'Integritet',
  intro:
    'Vad den här servern sparar när du följer en av dess kortlänkar. Skapat utifrån dess aktuella inställningar.',
  stored: 'Sparas med varje klick',
  what: 'Vad',
  from: 'Varifrån det kommer',
  items: {
    time: 'När du klickade, på sekunden',
    link: 'Kortlänken du följde',
    referrer: 'Sidan du kom från, dess webbplats och om den hör till den här tjänsten',
    country: 'Ditt land',
    device: 'Typ av enhet, operativsystem och webbläsare',
    user_agent: 'Webbläsarens beskrivning av sig själv (user agent), högst 1 000 tecken',
    bot: 'Om det var en människa eller ett program',
    campaign: 'Kampanjvärden i adressen (utm_…) och om klicket kom från en QR-kod',
    channel: 'Typ av källa, till exempel sökning, e-post eller kampanj',
    visitor: 'En kod som gör att du räknas en gång per dag',
    number: 'Ett löpnummer',
  },
  leanReferrer: 'Webbplatsen du kom från, utan sidan, och om den hör till den här tjänsten',
  sources: {
    service: 'Den här servern',
    address: 'Adressen du öppnade',
    user_agent: 'User agent, skickas av din webbläsare',
    referer: 'Hänvisande sida, skickas av din webbläsare',
    query: 'Adressen du öppnade',
    source: 'Adressen du öppnade och den hänvisande sidan',
    country: 'Din IP-adress, som slås upp på den här servern',
    visitor: 'IP-adress och user agent, hashade med en slumpnyckel som raderas efter dagen',
  },
  countryHeader: 'Nätverket framför den här servern, eller din IP-adress, som slås upp på den här servern',
  notWithGpc: 'Sparas inte med Global Privacy Control',
  duration: 'Hur länge',
  keptDays: {
    one: 'Enskilda klick raderas {{days}} dag efter slutet av den dag (UTC) då de gjordes, inom en timme.',
    other:
      'Enskilda klick raderas {{days}} dagar efter slutet av den dag (UTC) då de gjordes, inom en timme.',
  },
  keptForever: 'Enskilda klick sparas utan tidsgräns.',
  rollups:
    'Summor sparas utan tidsgräns: klick per timme och hur många av dem som hade vilket land, vilken webbplats, enhet, webbläsare, kanal eller vilket operativsystem eller kampanjvärde.',
  salts:
    'Dagens slumpnyckel raderas en timme efter dagens slut, eller så snart servern är igång igen. Därefter kan servern inte pröva om en kod hör till din IP-adress.',
  backups: 'Säkerhetskopior som redan har gjorts behåller det de innehåller.',
  never: 'Sparas aldrig',
  neverAddress: 'Din IP-adress. Den loggas inte heller.',
  neverCookies:
    'Kakor. Den här servern sätter inga för besökare, och dess sidor läser inte in något från andra webbplatser.',
  neverQuery: 'Något annat i adressen du öppnade, när klicket väl har räknats.',
  neverQueryLean: 'Något annat i adressen du öppnade.',
  neverLean: 'Webbläsarens user agent och sidan du kom från. Bara det som står i tabellen hämtas ur dem.',
  seen: 'Vem som ser det',
  seenOperator: 'Den som driver servern och har dess databas och säkerhetskopior.',
  seenLocal:
    'Personer vid själva servern, på dess administrationssidor: enskilda klick, utan user agent och kod.',
  seenAdmitted:
    'Personer som släpps in på administrationssidorna av den som driver servern: enskilda klick, utan user agent och kod.',
  seenKeys: 'Program som får en API-nyckel av dem: summor.',
  seenKeysAndAssistants: 'Program som får en API-nyckel av dem, och deras AI-assistenter: summor.',
  seenShared: 'Alla som har en publik statistik-URL: summor för en länk eller en grupp av länkar.',
  sentToNoOne: 'Programmet skickar inga uppgifter om klick till någon annan.',
  gpc: 'Global Privacy Control',
  gpcOn:
    'Den här servern respekterar signalen. Om din webbläsare skickar den räknas ditt klick utan land, hänvisande sida och kod.',
  gpcOff: 'Den här servern tar inte hänsyn till den här signalen från webbläsare.',
  fetches:
    'Servern hämtar titlar eller ikoner från webbplatserna som länkarna leder till. De förfrågningarna säger inget om dig, och att du följer en länk orsakar ingen.',
  scope:
    'Gäller programmet Latchkey Links, inte nätverk och proxyservrar framför det eller webbplatserna som länkarna leder till.',
  json: 'Maskinläsbar version',
}

const id: PrivacyTexts = {
  title: 'Privasi',
  intro:
    'Yang disimpan server ini saat Anda mengikuti salah satu tautan pendeknya. Dibuat berdasarkan pengaturannya saat ini.',
  stored: 'Disimpan pada setiap klik',
  what: 'Data',
  from: 'Asalnya',
  items: {
    time: 'Waktu Anda mengeklik, sampai detik',
    link: 'Tautan pendek yang Anda ikuti',
    referrer: 'Halaman asal Anda, situsnya, dan apakah halaman itu milik layanan ini',
    country: 'Negara Anda',
    device: 'Jenis perangkat, sistem operasi, dan peramban',
    user_agent: 'Keterangan peramban tentang dirinya (user agent), paling banyak 1.000 karakter',
    bot: 'Apakah pengekliknya orang atau program',
    campaign: 'Nilai kampanye dalam alamat (utm_…), dan apakah klik berasal dari kode QR',
    channel: 'Jenis sumber, misalnya pencarian, email, atau kampanye',
    visitor: 'Kode agar Anda dihitung sekali sehari',
    number: 'Nomor urut',
  },
  leanReferrer: 'Situs asal Anda, tanpa halamannya, dan apakah situs itu milik layanan ini',
  sources: {
    service: 'Server ini',
    address: 'Alamat yang Anda buka',
    user_agent: 'User agent, dikirim oleh peramban Anda',
    referer: 'Perujuk, dikirim oleh peramban Anda',
    query: 'Alamat yang Anda buka',
    source: 'Alamat yang Anda buka dan perujuk',
    country: 'Alamat IP Anda, dicari di server ini',
    visitor: 'Alamat IP dan user agent, di-hash dengan kunci acak yang dihapus setelah hari itu',
  },
  countryHeader: 'Jaringan di depan server ini, atau alamat IP Anda yang dicari di server ini',
  notWithGpc: 'Tidak disimpan dengan Global Privacy Control',
  duration: 'Berapa lama',
  keptDays: {
    one: 'Tiap klik dihapus {{days}} hari setelah akhir hari (UTC) saat klik itu dibuat, dalam satu jam.',
    other: 'Tiap klik dihapus {{days}} hari setelah akhir hari (UTC) saat klik itu dibuat, dalam satu jam.',
  },
  keptForever: 'Tiap klik disimpan tanpa batas waktu.',
  rollups:
    'Jumlah disimpan tanpa batas waktu: klik per jam, dan berapa di antaranya yang memiliki negara, situs, perangkat, sistem, peramban, saluran, atau nilai kampanye tertentu.',
  salts:
    'Kunci acak suatu hari dihapus satu jam setelah hari itu, atau begitu server berjalan lagi. Sejak itu, server ini tidak bisa menguji apakah suatu kode berasal dari alamat IP Anda.',
  backups: 'Cadangan yang sudah dibuat pengelola tetap menyimpan isinya.',
  never: 'Tidak pernah disimpan',
  neverAddress: 'Alamat IP Anda. Alamat itu juga tidak dicatat dalam log.',
  neverCookies:
    'Kuki. Server ini tidak memasangnya untuk pengunjung, dan halamannya tidak memuat apa pun dari situs lain.',
  neverQuery: 'Bagian lain dari alamat yang Anda buka, setelah klik dihitung.',
  neverQueryLean: 'Bagian lain dari alamat yang Anda buka.',
  neverLean:
    'User agent peramban Anda dan halaman asal Anda. Hanya yang tercantum dalam tabel yang diambil darinya.',
  seen: 'Siapa yang melihatnya',
  seenOperator: 'Pengelola server ini, yang memegang basis data dan cadangannya.',
  seenLocal: 'Orang di server itu sendiri, pada halaman adminnya: tiap klik, tanpa user agent dan kode.',
  seenAdmitted:
    'Orang yang diberi akses ke halaman admin oleh pengelola: tiap klik, tanpa user agent dan kode.',
  seenKeys: 'Program yang mereka beri kunci API: jumlah saja.',
  seenKeysAndAssistants: 'Program yang mereka beri kunci API, dan asisten AI mereka: jumlah saja.',
  seenShared: 'Siapa pun yang memiliki URL statistik publik: jumlah dari satu tautan atau sekelompok tautan.',
  sentToNoOne: 'Perangkat lunak ini tidak mengirim data klik kepada siapa pun selain itu.',
  gpc: 'Global Privacy Control',
  gpcOn:
    'Server ini menghormatinya. Jika peramban Anda mengirim sinyal ini, klik Anda dihitung tanpa negara, halaman asal, dan kode.',
  gpcOff: 'Server ini tidak memperhatikan sinyal peramban ini.',
  fetches:
    'Server ini membaca judul atau ikon situs tujuan tautannya. Permintaan itu tidak memuat apa pun tentang Anda, dan mengikuti tautan tidak memicunya.',
  scope:
    'Berlaku untuk perangkat lunak Latchkey Links, bukan untuk jaringan dan proksi di depannya, atau situs tujuan tautannya.',
  json: 'Versi yang dapat dibaca mesin',
}

export const privacyTexts: Readonly<Record<Language, PrivacyTexts>> = { en, sv, id }
