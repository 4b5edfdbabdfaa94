import type en from '../en/shell.ts'

export default {
  'app.name': 'Latchkey Links',
  'nav.dashboard': 'Dasbor',
  'nav.links': 'Tautan',
  'nav.bundles': 'Kumpulan',
  'nav.keys': 'Kunci API',
  'nav.importExport': 'Impor dan ekspor',
  'nav.settings': 'Pengaturan',
  'shell.search': 'Cari halaman dan tindakan',
  'shell.noCommand': 'Tidak ada dengan nama itu',
  'page.toDashboard': 'Ke dasbor',
  'shell.newLink': 'Buat tautan baru',
  'shell.light': 'Gunakan warna terang',
  'shell.dark': 'Gunakan warna gelap',
  'shell.pages': 'Halaman',
  'shell.actions': 'Tindakan',
  'shell.findLink': 'Tautan',
  'shell.searchLinks': 'Cari tautan untuk “{{words}}”',
} satisfies Record<keyof typeof en, string>
