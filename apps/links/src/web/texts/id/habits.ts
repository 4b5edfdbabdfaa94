import type en from '../en/habits.ts'

export default {
  'defaults.help': 'Tautan baru Anda di halaman ini dimulai dengan ini. API tidak memakainya.',
  'defaults.days_one': 'Setelah {{count}} hari',
  'defaults.days_other': 'Setelah {{count}} hari',
  'utm.title': 'Templat UTM',
  'utm.help': 'Parameter UTM dengan nama, untuk diisikan saat Anda membuat tautan.',
  'utm.new': 'Templat baru',
  'utm.editTitle': 'Ubah templat',
  'utm.name': 'Nama',
  'utm.everyone': 'Semua orang',
  'utm.share': 'Untuk semua orang',
  'utm.shareHelp': 'Hanya administrator yang dapat membagikan templat.',
  'utm.edit': 'Ubah',
  'utm.editNamed': 'Ubah {{name}}',
  'utm.delete': 'Hapus',
  'utm.deleteNamed': 'Hapus {{name}}',
  'utm.deleted': 'Templat dihapus',
} satisfies Record<keyof typeof en, string>
