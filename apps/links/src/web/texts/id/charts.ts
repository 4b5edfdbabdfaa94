import type en from '../en/charts.ts'

export default {
  'range.label': 'Rentang',
  'range.24h': '24 J',
  'range.7d': '7 H',
  'range.30d': '30 H',
  'range.90d': '90 H',
  'range.1y': '1 T',
  'range.all': 'Semua',
  'chart.table': 'Tampilkan sebagai tabel',
  'chart.chart': 'Tampilkan sebagai grafik',
  'chart.when': 'Kapan',
  'delta.against': 'dibandingkan dengan periode sebelumnya',
  'ranking.none': 'Tidak ada apa-apa dalam periode ini',
  'ranking.more': 'Mungkin masih ada lagi',
  'chart.week': 'Pekan mulai {{day}}',
  'chart.none': 'Tidak ada klik dalam periode ini',
  'chart.summary':
    '{{title}}: total {{total}}. Tombol panah membacakan setiap batang; tersedia juga sebagai tabel.',
  'chart.visitorsUnknown': 'Tidak diketahui untuk klik yang diimpor atau lama',
} satisfies Record<keyof typeof en, string>
