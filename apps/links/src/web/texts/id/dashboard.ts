import type en from '../en/dashboard.ts'

export default {
  'dashboard.input': 'Pendekkan URL, atau cari tautan Anda',
  'dashboard.placeholder': 'Tempel URL atau ketik kata kunci',
  'dashboard.search': 'Cari',
  'dashboard.created': 'Tautan pendek Anda siap',
  'dashboard.exists': 'Sudah ada tautan pendek untuk URL ini',
  'dashboard.details': 'Rincian',
  'dashboard.links': 'Tautan dibuat',
  'dashboard.clickedLinks': 'Tautan yang diklik',
  'dashboard.clicks': 'Klik',
  'dashboard.perDay': 'Klik per hari',
  'dashboard.overTime': 'Klik dari waktu ke waktu',
  'dashboard.utc': 'UTC',
  'dashboard.countries': 'Negara teratas',
  'dashboard.topLinks': 'Paling banyak diklik',
  'dashboard.referrers': 'Perujuk teratas',
  'dashboard.recent': 'Tautan terbaru',
  'dashboard.inAll': 'total {{total}}',
  'dashboard.showAll': 'Tampilkan semua',
  'dashboard.showPopular': 'Tampilkan semua tautan menurut klik',
  'dashboard.showRecent': 'Tampilkan semua tautan, terbaru dulu',
} satisfies Record<keyof typeof en, string>
