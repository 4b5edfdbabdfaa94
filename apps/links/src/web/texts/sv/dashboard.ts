import type en from '../en/dashboard.ts'

export default {
  'dashboard.input': 'Förkorta en URL eller sök bland länkarna',
  'dashboard.placeholder': 'Klistra in en URL eller skriv sökord',
  'dashboard.search': 'Sök',
  'dashboard.created': 'Kortlänken är klar',
  'dashboard.exists': 'Det finns redan en kortlänk hit',
  'dashboard.details': 'Detaljer',
  'dashboard.links': 'Skapade länkar',
  'dashboard.clickedLinks': 'Klickade länkar',
  'dashboard.clicks': 'Klick',
  'dashboard.perDay': 'Klick per dag',
  'dashboard.overTime': 'Klick över tid',
  'dashboard.utc': 'UTC',
  'dashboard.countries': 'Vanligaste länderna',
  'dashboard.topLinks': 'Mest klickade',
  'dashboard.referrers': 'Vanligaste källorna',
  'dashboard.recent': 'Senaste länkarna',
  'dashboard.inAll': '{{total}} totalt',
  'dashboard.showAll': 'Visa alla',
  'dashboard.showPopular': 'Visa alla länkar efter klick',
  'dashboard.showRecent': 'Visa alla länkar, de nyaste först',
} satisfies Record<keyof typeof en, string>
