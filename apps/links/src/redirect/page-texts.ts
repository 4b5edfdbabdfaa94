import type { Language } from '@latchkey/web/languages'

const en = {
  notFound: {
    title: 'Page not found',
    sentence: 'There’s nothing at this address. Check that it was copied in full.',
  },
  unavailable: {
    title: 'Temporarily unavailable',
    sentence: 'This page can’t be opened right now. Try again shortly.',
  },
  landing: {
    title: 'Latchkey Links',
    sentence: 'This site shortens links. Its short links lead elsewhere; this page doesn’t.',
    below: '<p class="more"><a href="/_/privacy">Privacy</a></p>',
  },
  failed: {
    title: 'Something went wrong',
    sentence: 'The problem is on our side and has been logged. Try again later.',
  },
  tooManyRequests: { title: 'Too many requests', sentence: 'Wait a moment, then try again.' },
  noAccess: 'No access to the admin pages',
  disabled: { title: 'This link is disabled', sentence: 'It was disabled on {{when}}.' },
  slugDisabled: {
    title: 'This slug is disabled',
    sentence: 'It was disabled on {{when}}. The link itself still works.',
  },
  expired: { title: 'This link has expired', sentence: 'It expired on {{when}}.' },
  invalid: {
    title: 'This link can’t redirect',
    sentence: 'Its destination isn’t an address that browsers can open.',
  },
  unused: { title: 'No link yet', sentence: 'There’s no link with this slug. You can create it.' },
  early: { title: 'This link isn’t open yet', sentence: 'It opens on {{when}}.' },
  usedUp: { title: 'This link is used up', sentence: 'As many people have followed it as it lets through.' },
  password: { title: 'This link is protected', sentence: 'Enter its password to continue.' },
  wrongPassword: { title: 'This link is protected', sentence: 'That password is wrong. Try again.' },
  passwordField: 'Password',
  continue: 'Continue',
  tooManyTries: { title: 'Too many tries', sentence: 'Wait a while before you try again.' },
  preview: { title: 'Short link', sentence: 'Open this link in a browser to continue.' },
  onlyYou: 'Only you see this. Visitors see “Page not found”.',
  openLink: 'Open the link’s page',
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
    sentence: 'Den här webbplatsen förkortar länkar. Kortlänkarna leder vidare, men inte den här sidan.',
    below: '<p class="more"><a href="/_/privacy">Integritet</a></p>',
  },
  failed: {
    title: 'Något gick fel',
    sentence: 'Felet ligger hos oss och har loggats. Försök igen senare.',
  },
  tooManyRequests: { title: 'För många förfrågningar', sentence: 'Vänta lite och försök sedan igen.' },
  noAccess: 'Ingen åtkomst till administrationen',
  disabled: { title: 'Länken är avstängd', sentence: 'Den stängdes av {{when}}.' },
  slugDisabled: {
    title: 'Kortnamnet är avstängt',
    sentence: 'Det stängdes av {{when}}. Själva länken fungerar fortfarande.',
  },
  expired: { title: 'Länken har gått ut', sentence: 'Den gick ut {{when}}.' },
  invalid: {
    title: 'Länken kan inte leda vidare',
    sentence: 'Målet är inte en adress som webbläsare kan öppna.',
  },
  unused: {
    title: 'Ingen länk än',
    sentence: 'Det finns ingen länk med det här kortnamnet. Du kan skapa den.',
  },
  early: { title: 'Länken är inte öppen än', sentence: 'Den öppnar {{when}}.' },
  usedUp: { title: 'Länken är förbrukad', sentence: 'Så många som den släpper igenom har följt den.' },
  password: { title: 'Länken är skyddad', sentence: 'Ange lösenordet för att fortsätta.' },
  wrongPassword: { title: 'Länken är skyddad', sentence: 'Fel lösenord. Försök igen.' },
  passwordField: 'Lösenord',
  continue: 'Fortsätt',
  tooManyTries: { title: 'För många försök', sentence: 'Vänta en stund innan du försöker igen.' },
  preview: { title: 'Kortlänk', sentence: 'Öppna länken i en webbläsare för att fortsätta.' },
  onlyYou: 'Bara du ser det här. Besökare ser ”Sidan hittades inte”.',
  openLink: 'Öppna länkens sida',
  createLink: 'Skapa den här länken',
}

const id: PageTexts = {
  notFound: {
    title: 'Halaman tidak ditemukan',
    sentence: 'Tidak ada apa-apa di alamat ini. Pastikan alamatnya disalin dengan lengkap.',
  },
  unavailable: {
    title: 'Sementara tidak tersedia',
    sentence: 'Halaman ini belum bisa dibuka saat ini. Coba lagi sebentar lagi.',
  },
  landing: {
    title: 'Latchkey Links',
    sentence: 'Situs ini memendekkan tautan. Tautan pendeknya menuju ke tempat lain; halaman ini tidak.',
    below: '<p class="more"><a href="/_/privacy">Privasi</a></p>',
  },
  failed: {
    title: 'Terjadi kesalahan',
    sentence: 'Masalahnya ada di pihak kami dan sudah dicatat. Coba lagi nanti.',
  },
  tooManyRequests: { title: 'Terlalu banyak permintaan', sentence: 'Tunggu sebentar, lalu coba lagi.' },
  noAccess: 'Tidak ada akses ke halaman admin',
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
    title: 'Tautan ini tidak bisa mengalihkan',
    sentence: 'Tujuannya bukan alamat yang bisa dibuka peramban.',
  },
  unused: {
    title: 'Belum ada tautan',
    sentence: 'Belum ada tautan dengan slug ini. Anda bisa membuatnya.',
  },
  early: { title: 'Tautan ini belum dibuka', sentence: 'Tautan dibuka pada {{when}}.' },
  usedUp: {
    title: 'Tautan ini sudah habis terpakai',
    sentence: 'Jumlah orang yang diizinkan sudah tercapai.',
  },
  password: { title: 'Tautan ini dilindungi', sentence: 'Masukkan kata sandi untuk melanjutkan.' },
  wrongPassword: { title: 'Tautan ini dilindungi', sentence: 'Kata sandi salah. Coba lagi.' },
  passwordField: 'Kata sandi',
  continue: 'Lanjutkan',
  tooManyTries: { title: 'Terlalu banyak percobaan', sentence: 'Tunggu beberapa saat sebelum mencoba lagi.' },
  preview: { title: 'Tautan pendek', sentence: 'Buka tautan ini di peramban untuk melanjutkan.' },
  onlyYou: 'Hanya Anda yang melihat ini. Pengunjung melihat “Halaman tidak ditemukan”.',
  openLink: 'Buka halaman tautan',
  createLink: 'Buat tautan ini',
}

/** The texts of the pages that visitors see, and of those for the owner of a link. */
export const pageTexts: Readonly<Record<Language, PageTexts>> = { en, sv, id }
