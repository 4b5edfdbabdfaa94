import type en from '../en/charts.ts'

export default {
  'range.label': 'Rentang',
  'range.all': 'Semua',
  'chart.table': 'Tampilkan sebagai tabel',
  'chart.chart': 'Tampilkan sebagai grafik',
  'chart.when': 'Waktu',
  'delta.against': 'dibandingkan dengan periode sebelumnya',
  'ranking.none': 'Tidak ada klik dalam periode ini',
  'chart.week': 'Pekan mulai {{day}}',
  'chart.none': 'Tidak ada klik dalam periode ini',
  'chart.summary':
    '{{title}}: total {{total}}. Gunakan tombol panah untuk berpindah antarbatang, tahan Shift untuk memilih beberapa, dan tekan Enter untuk memperbesar. Tersedia juga sebagai tabel.',
  'chart.visitorsUnknown': 'Tidak tersedia untuk klik yang diimpor, lama, atau anonim',
  'range.custom': 'Kustom',
  'range.from': 'Dari',
  'range.to': 'Sampai',
  'range.apply': 'Terapkan',
  'range.backwards': 'Akhir tidak boleh sebelum awal',
  'chart.partial': 'sebagian',
  'chart.soFar.hour': 'jam ini sejauh ini',
  'chart.soFar.day': 'hari ini sejauh ini',
  'chart.soFar.week': 'pekan ini sejauh ini',
  'chart.soFar.month': 'bulan ini sejauh ini',
  'delta.new': 'Baru',
} satisfies Record<keyof typeof en, string>
