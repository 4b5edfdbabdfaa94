export const en = {
  'app.name': 'Latchkey Rooms',
  'nav.lobby': 'Rooms',
  'nav.account': 'Account',
  'shell.waiting_one': '{{count}} invitation or offer waits for your answer',
  'shell.waiting_other': '{{count}} invitations or offers wait for your answer',
  'shell.signInAgain': 'Sign in again and come back here',
  'page.toLobby': 'Go to the rooms',
  'page.loading': 'Loading',
  'demo.title': 'Demo',
  'demo.help': 'This instance is for trying out. Its identity provider asks for no password.',
  'announcement.title': 'Announcement',
  'support.link': 'Help and support',
  'person.guest': 'Guest',
  'person.gone': 'Deleted account {{name}}',
} as const

type Keys = Readonly<Record<keyof typeof en, string>>

export const sv: Keys = {
  'app.name': 'Latchkey Rooms',
  'nav.lobby': 'Rum',
  'nav.account': 'Konto',
  'shell.waiting_one': '{{count}} inbjudan eller erbjudande väntar på ditt svar',
  'shell.waiting_other': '{{count}} inbjudningar eller erbjudanden väntar på ditt svar',
  'shell.signInAgain': 'Logga in igen och kom tillbaka hit',
  'page.toLobby': 'Till rummen',
  'page.loading': 'Läser in',
  'demo.title': 'Demo',
  'demo.help':
    'Den här installationen är till för att prova. Dess identitetstjänst frågar inte efter lösenord.',
  'announcement.title': 'Meddelande',
  'support.link': 'Hjälp och support',
  'person.guest': 'Gäst',
  'person.gone': 'Raderat konto {{name}}',
}

export const id: Keys = {
  'app.name': 'Latchkey Rooms',
  'nav.lobby': 'Ruang',
  'nav.account': 'Akun',
  'shell.waiting_one': '{{count}} undangan atau tawaran menunggu jawaban Anda',
  'shell.waiting_other': '{{count}} undangan atau tawaran menunggu jawaban Anda',
  'shell.signInAgain': 'Masuk lagi dan kembali ke sini',
  'page.toLobby': 'Ke daftar ruang',
  'page.loading': 'Memuat',
  'demo.title': 'Demo',
  'demo.help': 'Layanan ini hanya untuk dicoba. Penyedia identitasnya tidak meminta kata sandi.',
  'announcement.title': 'Pengumuman',
  'support.link': 'Bantuan dan dukungan',
  'person.guest': 'Tamu',
  'person.gone': 'Akun terhapus {{name}}',
}
