import type en from '../en/shell.ts'

export default {
  'app.name': 'Latchkey Rooms',
  'nav.lobby': 'Rum',
  'nav.account': 'Konto',
  'sidebar.rooms': 'Dina rum',
  'sidebar.otherRooms': 'Andra rum',
  'sidebar.jump': 'Hoppa till ett rum',
  'sidebar.messages': 'Meddelanden',
  'shell.waiting_one': '{{count}} inbjudan eller erbjudande väntar på dig',
  'shell.waiting_other': '{{count}} inbjudningar eller erbjudanden väntar på dig',
  'shell.signInAgain': 'Logga in igen och kom tillbaka hit',
  'page.toLobby': 'Till rummen',
  'page.loading': 'Läser in',
  'demo.title': 'Demo',
  'demo.help': 'Det här är en demo. Dess identitetstjänst frågar inte efter lösenord.',
  'announcement.title': 'Meddelande',
  'support.link': 'Hjälp och support',
  'person.guest': 'Gäst',
  'person.gone': '{{name}} (raderat konto)',
} satisfies Record<keyof typeof en, string>
