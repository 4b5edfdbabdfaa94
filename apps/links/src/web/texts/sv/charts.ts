import type en from '../en/charts.ts'

export default {
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
  'chart.visitorsUnknown': 'Inte kända för importerade eller gamla klick',
} satisfies Record<keyof typeof en, string>
