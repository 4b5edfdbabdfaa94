import type en from '../en/habits.ts'

export default {
  'defaults.help': 'Dina nya länkar på de här sidorna börjar med detta. API:et använder det inte.',
  'defaults.days_one': 'Efter {{count}} dag',
  'defaults.days_other': 'Efter {{count}} dagar',
  'utm.title': 'UTM-mallar',
  'utm.help': 'UTM-parametrar under ett namn, att fylla i när du skapar en länk.',
  'utm.new': 'Ny mall',
  'utm.editTitle': 'Redigera mall',
  'utm.name': 'Namn',
  'utm.everyone': 'Alla',
  'utm.share': 'För alla',
  'utm.shareHelp': 'Bara administratörer kan dela mallar.',
  'utm.edit': 'Redigera',
  'utm.editNamed': 'Redigera {{name}}',
  'utm.delete': 'Ta bort',
  'utm.deleteNamed': 'Ta bort {{name}}',
  'utm.deleted': 'Mallen är borttagen',
} satisfies Record<keyof typeof en, string>
