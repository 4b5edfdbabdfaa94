import { type Language, acceptedLanguages, firstLanguage, localeOf } from '@latchkey/web/languages'

const en = {
  statistics: 'Analytics',
  range: 'Range',
  clicks: 'Clicks',
  visitors: 'Visitors',
  countries: 'Countries',
  unknown: 'unknown',
  referrers: 'Referrers',
  devices: 'Devices',
  browsers: 'Browsers',
  links: 'Links',
  clicksOverTime: 'Clicks over time',
  change: 'compared with the previous period',
  isNew: 'new',
  noClicks: 'No clicks in this period',
  noValues: 'No data for this period',
  table: 'Show as table',
  time: 'Time (UTC)',
  partial: 'partial',
  soFar: 'so far',
  weekOf: 'Week of',
  more: 'more',
  name: 'Name',
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  other: 'Other',
  updated: 'Updated',
  note: 'Bots are excluded. Each visitor counts once a day. Times are in UTC.',
  allTime: 'All time',
}

export type Texts = typeof en

const sv: Texts = {
  statistics: 'Statistik',
  range: 'Period',
  clicks: 'Klick',
  visitors: 'Besökare',
  countries: 'Länder',
  unknown: 'okänt',
  referrers: 'Hänvisande sidor',
  devices: 'Enheter',
  browsers: 'Webbläsare',
  links: 'Länkar',
  clicksOverTime: 'Klick över tid',
  change: 'jämfört med föregående period',
  isNew: 'ny',
  noClicks: 'Inga klick under den här perioden',
  noValues: 'Inga uppgifter för den här perioden',
  table: 'Visa som tabell',
  time: 'Tid (UTC)',
  partial: 'delvis',
  soFar: 'hittills',
  weekOf: 'Veckan från',
  more: 'till',
  name: 'Namn',
  desktop: 'Dator',
  mobile: 'Mobil',
  tablet: 'Surfplatta',
  other: 'Annat',
  updated: 'Uppdaterad',
  note: 'Robotar räknas inte. Varje besökare räknas en gång per dag. Tiderna är i UTC.',
  allTime: 'All tid',
}

const id: Texts = {
  statistics: 'Statistik',
  range: 'Rentang',
  clicks: 'Klik',
  visitors: 'Pengunjung',
  countries: 'Negara',
  unknown: 'tidak diketahui',
  referrers: 'Perujuk',
  devices: 'Perangkat',
  browsers: 'Peramban',
  links: 'Tautan',
  clicksOverTime: 'Klik dari waktu ke waktu',
  change: 'dibandingkan dengan periode sebelumnya',
  isNew: 'baru',
  noClicks: 'Tidak ada klik dalam periode ini',
  noValues: 'Tidak ada data untuk periode ini',
  table: 'Tampilkan sebagai tabel',
  time: 'Waktu (UTC)',
  partial: 'sebagian',
  soFar: 'sejauh ini',
  weekOf: 'Pekan mulai',
  more: 'lainnya',
  name: 'Nama',
  desktop: 'Komputer',
  mobile: 'Ponsel',
  tablet: 'Tablet',
  other: 'Lainnya',
  updated: 'Diperbarui',
  note: 'Bot tidak dihitung. Setiap pengunjung dihitung sekali sehari. Waktu dalam UTC.',
  allTime: 'Sepanjang waktu',
}

const languages: Readonly<Record<Language, Texts>> = { en, sv, id }

/** The words of a page, and the locale of its numbers and dates. */
export interface Wording {
  locale: string
  texts: Texts
}

/**
 * Chooses the first supported language of an `Accept-Language` header, with its region for dates:
 * `en-GB` is English with British dates.
 */
export function chooseWording(acceptLanguage: string | null): Wording {
  const tags = acceptedLanguages(acceptLanguage)
  const language = firstLanguage(tags)
  return { locale: localeOf(language, tags), texts: languages[language] }
}
