import type en from '../en/shell.ts'

export default {
  'app.name': 'Latchkey Rooms',
  'nav.lobby': 'Rum',
  'nav.account': 'Konto',
  'shell.waiting_one': '{{count}} inbjudan eller erbjudande väntar på ditt svar',
  'shell.waiting_other': '{{count}} inbjudningar eller erbjudanden väntar på ditt svar',
  'shell.signInAgain': 'Logga in igen och kom tillbaka hit',
  'page.toLobby': 'Till rummen',
  'page.loading': 'Läser in',
  'demo.title': 'Demo',
  'demo.help':
    'Den här installationen är till för att prova. Dess identitetstjänst frågar inte efter lösenord.',
  'announcement.title': 'Meddelande',
  'support.link': 'Hjälp och support',
  'person.guest': 'Gäst',
  'person.gone': 'Raderat konto {{name}}',
} satisfies Record<keyof typeof en, string>
