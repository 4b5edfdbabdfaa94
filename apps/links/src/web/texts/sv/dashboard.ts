import type en from '../en/dashboard.ts'

export default {
  'dashboard.input': 'Förkorta en URL eller sök bland länkarna',
  'dashboard.placeholder': 'Klistra in en URL eller skriv sökord',
  'dashboard.search': 'Sök',
  'dashboard.created': 'Kortlänken är klar',
  'dashboard.exists': 'Det finns redan en kortlänk hit',
  'dashboard.details': 'Detaljer',
  'live.title': 'Klick just nu',
  'live.pause': 'Pausa',
  'live.resume': 'Fortsätt',
  'live.noCountry': '–',
} satisfies Record<keyof typeof en, string>
