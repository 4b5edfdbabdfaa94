/** Texts of charts, rankings and changes, which several pages show. */
export const en = {
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
  'delta.against': 'dibandingkan dengan periode sebelumnya',
  'ranking.none': 'Tidak ada apa-apa dalam periode ini',
  'ranking.more': 'Mungkin masih ada lagi',
  'chart.week': 'Pekan mulai {{day}}',
  'chart.none': 'Tidak ada klik dalam periode ini',
  'chart.summary':
    '{{title}}: total {{total}}. Tombol panah membacakan setiap batang; tersedia juga sebagai tabel.',
  'figures.visitorsUnknown': 'Tidak diketahui untuk klik yang diimpor atau lama',
}
