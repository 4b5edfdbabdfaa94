import type en from '../en/shell.ts'

export default {
  'app.name': 'Latchkey Rooms',
  'nav.lobby': 'Ruang',
  'nav.account': 'Akun',
  'sidebar.rooms': 'Ruang Anda',
  'sidebar.otherRooms': 'Ruang lain',
  'sidebar.jump': 'Buka ruang',
  'sidebar.messages': 'Pesan',
  'shell.waiting_one': '{{count}} undangan atau tawaran menunggu Anda',
  'shell.waiting_other': '{{count}} undangan atau tawaran menunggu Anda',
  'shell.signInAgain': 'Masuk lagi dan kembali ke sini',
  'page.toLobby': 'Ke daftar ruang',
  'page.loading': 'Memuat',
  'demo.title': 'Demo',
  'demo.help': 'Ini demo. Penyedia identitasnya tidak meminta kata sandi.',
  'announcement.title': 'Pengumuman',
  'support.link': 'Bantuan dan dukungan',
  'person.guest': 'Tamu',
  'person.gone': '{{name}} (akun dihapus)',
} satisfies Record<keyof typeof en, string>
