/** Texts of charts, rankings and changes, which several pages show. */
export const en = {
  'range.label': 'Range',
  'range.24h': '24H',
  'range.7d': '7D',
  'range.30d': '30D',
  'range.90d': '90D',
  'range.1y': '1Y',
  'range.all': 'All',
  'chart.table': 'Show as table',
  'chart.chart': 'Show as chart',
  'chart.when': 'When',
  'delta.against': 'against the period before',
  'ranking.none': 'Nothing in this period',
  'ranking.more': 'There may be more',
  'chart.week': 'Week of {{day}}',
  'chart.none': 'No clicks in this period',
  'chart.summary': '{{title}}: {{total}} in all. The arrow keys read out each bar; there is a table, too.',
  'figures.visitorsUnknown': 'Not known for imported or old clicks',
} as const

type Texts = Readonly<Record<keyof typeof en, string>>

export const sv: Texts = {
  'range.label': 'Period',
  'range.24h': '24 h',
  'range.7d': '7 d',
  'range.30d': '30 d',
  'range.90d': '90 d',
  'range.1y': '1 år',
  'range.all': 'Allt',
  'chart.table': 'Visa som tabell',
  'chart.chart': 'Visa som diagram',
  'chart.when': 'När',
  'delta.against': 'jämfört med perioden före',
  'ranking.none': 'Ingenting under den här perioden',
  'ranking.more': 'Det kan finnas fler',
  'chart.week': 'Veckan från {{day}}',
  'chart.none': 'Inga klick under den här perioden',
  'chart.summary':
    '{{title}}: {{total}} sammanlagt. Piltangenterna läser upp varje stapel; det finns en tabell också.',
  'figures.visitorsUnknown': 'Inte kända för importerade eller gamla klick',
}

export const id: Texts = {
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
  'figures.visitorsUnknown': 'Tidak diketahui untuk klik yang diimpor atau lama',
}
