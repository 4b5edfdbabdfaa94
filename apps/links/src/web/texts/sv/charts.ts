import type en from '../en/charts.ts'

export default {
  'range.label': 'Period',
  'range.all': 'Allt',
  'chart.table': 'Visa som tabell',
  'chart.chart': 'Visa som diagram',
  'chart.when': 'Tid',
  'delta.against': 'jämfört med föregående period',
  'ranking.none': 'Inga klick under den här perioden',
  'chart.week': 'Veckan från {{day}}',
  'chart.none': 'Inga klick under den här perioden',
  'chart.summary':
    '{{title}}: {{total}} totalt. Flytta mellan staplarna med piltangenterna, markera flera med Skift och zooma in med Enter. Finns även som tabell.',
  'chart.visitorsUnknown': 'Finns inte för importerade, äldre eller anonyma klick',
  'range.custom': 'Anpassad',
  'range.from': 'Från',
  'range.to': 'Till',
  'range.apply': 'Använd',
  'range.backwards': 'Slutet kan inte vara före början',
  'chart.partial': 'delvis',
  'chart.soFar.hour': 'hittills den här timmen',
  'chart.soFar.day': 'hittills i dag',
  'chart.soFar.week': 'hittills den här veckan',
  'chart.soFar.month': 'hittills den här månaden',
  'delta.new': 'Ny',
} satisfies Record<keyof typeof en, string>
