/** Words of what the package itself shows; an app says them like its own. */
const en = {
  'nav.label': 'Pages',
  'nav.open': 'Open the menu',
  'shell.skip': 'Skip to the content',
  'shell.close': 'Close',
  'shell.stale': 'Your sign-in has ended',
  'shell.staleHelp': 'What you typed is still here. Sign in again in another tab, then carry on.',
  'page.notFound': 'This page does not exist',
  'page.notFoundHelp': 'The address may be mistyped, or the page has moved.',
  'page.error': 'This could not be shown',
  'page.retry': 'Try again',
  'error.offline': 'The service does not answer. Check your connection.',
  'copy.copy': 'Copy {{what}}',
  'copy.copied': 'Copied',
  'undo.undo': 'Undo',
  'confirm.cancel': 'Cancel',
} as const

type Words = Readonly<Record<keyof typeof en, string>>

const sv: Words = {
  'nav.label': 'Sidor',
  'nav.open': 'Öppna menyn',
  'shell.skip': 'Hoppa till innehållet',
  'shell.close': 'Stäng',
  'shell.stale': 'Din inloggning har gått ut',
  'shell.staleHelp': 'Det du skrev finns kvar. Logga in igen i en annan flik och fortsätt sedan.',
  'page.notFound': 'Sidan finns inte',
  'page.notFoundHelp': 'Adressen kan vara felskriven, eller så har sidan flyttats.',
  'page.error': 'Det här kunde inte visas',
  'page.retry': 'Försök igen',
  'error.offline': 'Tjänsten svarar inte. Kontrollera anslutningen.',
  'copy.copy': 'Kopiera {{what}}',
  'copy.copied': 'Kopierat',
  'undo.undo': 'Ångra',
  'confirm.cancel': 'Avbryt',
}

const id: Words = {
  'nav.label': 'Halaman',
  'nav.open': 'Buka menu',
  'shell.skip': 'Langsung ke isi',
  'shell.close': 'Tutup',
  'shell.stale': 'Sesi masuk Anda telah berakhir',
  'shell.staleHelp': 'Yang Anda ketik masih ada. Masuk lagi di tab lain, lalu lanjutkan.',
  'page.notFound': 'Halaman ini tidak ada',
  'page.notFoundHelp': 'Alamatnya mungkin salah ketik, atau halamannya sudah pindah.',
  'page.error': 'Ini tidak dapat ditampilkan',
  'page.retry': 'Coba lagi',
  'error.offline': 'Layanan tidak menjawab. Periksa koneksi Anda.',
  'copy.copy': 'Salin {{what}}',
  'copy.copied': 'Disalin',
  'undo.undo': 'Batalkan',
  'confirm.cancel': 'Batal',
}

/** `app.name` is each app's own. */
export type WordKey = keyof typeof en | 'app.name'

export const words = { en, sv, id }
