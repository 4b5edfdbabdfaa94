/** Texts of charts, rankings and changes, which several pages show. */
export const en = {
  'delta.against': 'against the period before',
  'ranking.none': 'Nothing in this period',
  'chart.week': 'Week of {{day}}',
  'chart.none': 'No clicks in this period',
  'chart.summary': '{{title}}: {{total}} in all. The arrow keys read out each bar; there is a table, too.',
} as const

type Texts = Readonly<Record<keyof typeof en, string>>

export const sv: Texts = {
  'delta.against': 'jämfört med perioden före',
  'ranking.none': 'Ingenting under den här perioden',
  'chart.week': 'Veckan från {{day}}',
  'chart.none': 'Inga klick under den här perioden',
  'chart.summary':
    '{{title}}: {{total}} sammanlagt. Piltangenterna läser upp varje stapel; det finns en tabell också.',
}

export const id: Texts = {
  'delta.against': 'dibandingkan dengan periode sebelumnya',
  'ranking.none': 'Tidak ada apa-apa dalam periode ini',
  'chart.week': 'Pekan mulai {{day}}',
  'chart.none': 'Tidak ada klik dalam periode ini',
  'chart.summary':
    '{{title}}: total {{total}}. Tombol panah membacakan setiap batang; tersedia juga sebagai tabel.',
}
