import type en from '../en/shell.ts'

export default {
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
} satisfies Record<keyof typeof en, string>
