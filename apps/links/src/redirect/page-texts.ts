import type { Language } from '@latchkey/web/languages'

const en = {
  notFound: {
    title: 'Page not found',
    sentence: 'There’s nothing at this address. Check that you copied all of it.',
  },
  unavailable: {
    title: 'Temporarily unavailable',
    sentence: 'This page can’t be opened right now. Try again in a moment.',
  },
  landing: {
    title: 'Latchkey Links',
    sentence: 'This site is used for short links. If you followed one, check that you copied all of it.',
    below: '<p class="more"><a href="/_/privacy">Privacy</a></p>',
  },
  failed: {
    title: 'Something went wrong',
    sentence: 'The problem is on our side and has been logged. Try again later.',
  },
  tooManyRequests: { title: 'Too many requests', sentence: 'Wait a moment, then try again.' },
  noAccess: 'You don’t have access',
  disabled: { title: 'This link is disabled', sentence: 'It was disabled on {{when}}.' },
  slugDisabled: {
    title: 'This slug is disabled',
    sentence: 'It was disabled on {{when}}. The link itself still works.',
  },
  expired: { title: 'This link has expired', sentence: 'It expired on {{when}}.' },
  invalid: {
    title: 'This link doesn’t work',
    sentence: 'Its destination isn’t a URL that browsers can open.',
  },
  unused: { title: 'No link here yet', sentence: 'This slug is available.' },
  early: { title: 'This link isn’t available yet', sentence: 'It opens on {{when}}.' },
  usedUp: { title: 'This link has reached its limit', sentence: 'It no longer redirects visitors.' },
  password: { title: 'This link is protected', sentence: 'Enter its password to continue.' },
  wrongPassword: { title: 'This link is protected', sentence: 'Wrong password. Try again.' },
  passwordField: 'Password',
  continue: 'Continue',
  tooManyTries: { title: 'Too many attempts', sentence: 'Wait a while, then try again.' },
  confirm: {
    title: 'Short link',
    sentence: 'This link opens only a limited number of times. Continue to open it.',
  },
  onlyYou: 'Only you see this. Visitors see “Page not found”.',
  openLink: 'View link details',
  createLink: 'Create this link',
}

export type PageTexts = typeof en

const sv: PageTexts = {
  notFound: {
    title: 'Sidan hittades inte',
    sentence: 'Det finns inget på den här adressen. Kontrollera att du har kopierat hela.',
  },
  unavailable: {
    title: 'Tillfälligt otillgänglig',
    sentence: 'Sidan kan inte öppnas just nu. Försök igen om en stund.',
  },
  landing: {
    title: 'Latchkey Links',
    sentence:
      'Den här webbplatsen används för kortlänkar. Om du följde en, kontrollera att du har kopierat hela.',
    below: '<p class="more"><a href="/_/privacy">Integritet</a></p>',
  },
  failed: {
    title: 'Något gick fel',
    sentence: 'Felet ligger hos oss och har loggats. Försök igen senare.',
  },
  tooManyRequests: { title: 'För många förfrågningar', sentence: 'Vänta lite och försök sedan igen.' },
  noAccess: 'Du har inte åtkomst',
  disabled: { title: 'Länken är avstängd', sentence: 'Den stängdes av {{when}}.' },
  slugDisabled: {
    title: 'Kortnamnet är avstängt',
    sentence: 'Det stängdes av {{when}}. Själva länken fungerar fortfarande.',
  },
  expired: { title: 'Länken har gått ut', sentence: 'Den gick ut {{when}}.' },
  invalid: {
    title: 'Länken fungerar inte',
    sentence: 'Målet är ingen URL som webbläsare kan öppna.',
  },
  unused: {
    title: 'Ingen länk här än',
    sentence: 'Kortnamnet är ledigt.',
  },
  early: { title: 'Länken är inte tillgänglig än', sentence: 'Den öppnar {{when}}.' },
  usedUp: { title: 'Länken har nått sin gräns', sentence: 'Den leder inte vidare längre.' },
  password: { title: 'Länken är skyddad', sentence: 'Ange lösenordet för att fortsätta.' },
  wrongPassword: { title: 'Länken är skyddad', sentence: 'Fel lösenord. Försök igen.' },
  passwordField: 'Lösenord',
  continue: 'Fortsätt',
  tooManyTries: { title: 'För många försök', sentence: 'Vänta en stund innan du försöker igen.' },
  confirm: {
    title: 'Kortlänk',
    sentence: 'Länken går bara att öppna ett begränsat antal gånger. Fortsätt för att öppna den.',
  },
  onlyYou: 'Bara du ser det här. Besökare ser ”Sidan hittades inte”.',
  openLink: 'Visa länkens detaljer',
  createLink: 'Skapa länken',
}

const id: PageTexts = {
  notFound: {
    title: 'Halaman tidak ditemukan',
    sentence: 'Tidak ada apa-apa di alamat ini. Pastikan alamatnya disalin dengan lengkap.',
  },
  unavailable: {
    title: 'Sementara tidak tersedia',
    sentence: 'Halaman ini belum bisa dibuka saat ini. Coba lagi nanti.',
  },
  landing: {
    title: 'Latchkey Links',
    sentence:
      'Situs ini digunakan untuk tautan pendek. Jika Anda mengikuti salah satunya, pastikan alamatnya disalin dengan lengkap.',
    below: '<p class="more"><a href="/_/privacy">Privasi</a></p>',
  },
  failed: {
    title: 'Terjadi kesalahan',
    sentence: 'Masalahnya ada di pihak kami dan sudah dicatat. Coba lagi nanti.',
  },
  tooManyRequests: { title: 'Terlalu banyak permintaan', sentence: 'Tunggu sebentar, lalu coba lagi.' },
  noAccess: 'Anda tidak memiliki akses',
  disabled: { title: 'Tautan ini nonaktif', sentence: 'Tautan dinonaktifkan pada {{when}}.' },
  slugDisabled: {
    title: 'Slug ini nonaktif',
    sentence: 'Slug dinonaktifkan pada {{when}}. Tautannya sendiri masih berfungsi.',
  },
  expired: {
    title: 'Tautan ini sudah berakhir',
    sentence: 'Masa berlakunya habis pada {{when}}.',
  },
  invalid: {
    title: 'Tautan ini tidak berfungsi',
    sentence: 'Tujuannya bukan URL yang bisa dibuka peramban.',
  },
  unused: {
    title: 'Belum ada tautan di sini',
    sentence: 'Slug ini tersedia.',
  },
  early: { title: 'Tautan ini belum tersedia', sentence: 'Tautan dibuka pada {{when}}.' },
  usedUp: {
    title: 'Tautan ini sudah mencapai batasnya',
    sentence: 'Tautan ini tidak lagi mengalihkan pengunjung.',
  },
  password: { title: 'Tautan ini dilindungi', sentence: 'Masukkan kata sandi untuk melanjutkan.' },
  wrongPassword: { title: 'Tautan ini dilindungi', sentence: 'Kata sandi salah. Coba lagi.' },
  passwordField: 'Kata sandi',
  continue: 'Lanjutkan',
  tooManyTries: { title: 'Terlalu banyak percobaan', sentence: 'Tunggu beberapa saat sebelum mencoba lagi.' },
  confirm: {
    title: 'Tautan pendek',
    sentence: 'Tautan ini hanya bisa dibuka dengan jumlah terbatas. Lanjutkan untuk membukanya.',
  },
  onlyYou: 'Hanya Anda yang melihat ini. Pengunjung melihat “Halaman tidak ditemukan”.',
  openLink: 'Lihat detail tautan',
  createLink: 'Buat tautan ini',
}

/** The texts of the pages that visitors see, and of those for the owner of a link. */
export const pageTexts: Readonly<Record<Language, PageTexts>> = { en, sv, id }
