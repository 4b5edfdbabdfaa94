/** Texts of the package's own components. Apps use them like their own. */
const en = {
  'nav.label': 'Pages',
  'nav.open': 'Open the menu',
  'nav.close': 'Close the menu',
  'shell.skip': 'Skip to the content',
  'shell.close': 'Close',
  'shell.stale': 'Your sign-in has ended',
  'shell.staleHelp': 'What you typed is still here. Sign in again in another tab, then carry on.',
  'page.notFound': 'This page does not exist',
  'page.notFoundHelp': 'The address may be mistyped, or the page has moved.',
  'page.error': 'This could not be shown',
  'page.retry': 'Try again',
  'error.offline': 'The service does not answer. Check your connection.',
  'error.outcomeUnknown':
    'The database did not answer, so it is not known whether anything was changed. Look before you try again.',
  'copy.copy': 'Copy {{what}}',
  'copy.copied': 'Copied',
  'copy.notCopied': 'The browser did not let it be copied',
  'undo.undo': 'Undo',
  'confirm.cancel': 'Cancel',
  'appearance.open': 'Language and colours',
  'appearance.lang': 'Language',
  'appearance.langAuto': 'Same as the browser',
  'appearance.scheme': 'Theme',
  'appearance.schemeHelp': 'Auto follows the browser.',
  'appearance.auto': 'Auto',
  'appearance.light': 'Light',
  'appearance.dark': 'Dark',
} as const

type SharedTexts = Readonly<Record<keyof typeof en, string>>

const sv: SharedTexts = {
  'nav.label': 'Sidor',
  'nav.open': 'Öppna menyn',
  'nav.close': 'Stäng menyn',
  'shell.skip': 'Hoppa till innehållet',
  'shell.close': 'Stäng',
  'shell.stale': 'Din inloggning har gått ut',
  'shell.staleHelp': 'Det du skrev finns kvar. Logga in igen i en annan flik och fortsätt sedan.',
  'page.notFound': 'Sidan finns inte',
  'page.notFoundHelp': 'Adressen kan vara felskriven, eller så har sidan flyttats.',
  'page.error': 'Det här kunde inte visas',
  'page.retry': 'Försök igen',
  'error.offline': 'Tjänsten svarar inte. Kontrollera anslutningen.',
  'error.outcomeUnknown':
    'Databasen svarade inte, så det går inte att veta om något ändrades. Titta efter innan du försöker igen.',
  'copy.copy': 'Kopiera {{what}}',
  'copy.copied': 'Kopierat',
  'copy.notCopied': 'Webbläsaren tillät inte att det kopierades',
  'undo.undo': 'Ångra',
  'confirm.cancel': 'Avbryt',
  'appearance.open': 'Språk och färger',
  'appearance.lang': 'Språk',
  'appearance.langAuto': 'Samma som webbläsaren',
  'appearance.scheme': 'Tema',
  'appearance.schemeHelp': 'Auto följer webbläsaren.',
  'appearance.auto': 'Auto',
  'appearance.light': 'Ljust',
  'appearance.dark': 'Mörkt',
}

const id: SharedTexts = {
  'nav.label': 'Halaman',
  'nav.open': 'Buka menu',
  'nav.close': 'Tutup menu',
  'shell.skip': 'Langsung ke isi',
  'shell.close': 'Tutup',
  'shell.stale': 'Sesi masuk Anda telah berakhir',
  'shell.staleHelp': 'Yang Anda ketik masih ada. Masuk lagi di tab lain, lalu lanjutkan.',
  'page.notFound': 'Halaman ini tidak ada',
  'page.notFoundHelp': 'Alamatnya mungkin salah ketik, atau halamannya sudah pindah.',
  'page.error': 'Ini tidak dapat ditampilkan',
  'page.retry': 'Coba lagi',
  'error.offline': 'Layanan tidak menjawab. Periksa koneksi Anda.',
  'error.outcomeUnknown':
    'Basis data tidak menjawab, jadi tidak diketahui apakah ada yang berubah. Periksa dahulu sebelum mencoba lagi.',
  'copy.copy': 'Salin {{what}}',
  'copy.copied': 'Disalin',
  'copy.notCopied': 'Peramban tidak mengizinkan penyalinan',
  'undo.undo': 'Batalkan',
  'confirm.cancel': 'Batal',
  'appearance.open': 'Bahasa dan warna',
  'appearance.lang': 'Bahasa',
  'appearance.langAuto': 'Sama dengan peramban',
  'appearance.scheme': 'Tema',
  'appearance.schemeHelp': 'Otomatis mengikuti peramban.',
  'appearance.auto': 'Otomatis',
  'appearance.light': 'Terang',
  'appearance.dark': 'Gelap',
}

/** Keys of the shared texts. Each app has its own `app.name`. */
export type SharedTextKey = keyof typeof en | 'app.name'

export const sharedTexts = { en, sv, id }
