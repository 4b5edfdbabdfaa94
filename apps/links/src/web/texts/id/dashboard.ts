import type en from '../en/dashboard.ts'

export default {
  'dashboard.input': 'Pendekkan URL, atau cari tautan Anda',
  'dashboard.placeholder': 'Tempel URL atau ketik kata kunci',
  'dashboard.search': 'Cari',
  'dashboard.created': 'Tautan pendek Anda siap',
  'dashboard.exists': 'Sudah ada tautan pendek untuk URL ini',
  'dashboard.details': 'Rincian',
  'live.title': 'Klik langsung',
  'live.pause': 'Jeda',
  'live.resume': 'Lanjutkan',
  'live.noCountry': '–',
} satisfies Record<keyof typeof en, string>
