import type en from '../en/directs.ts'

export default {
  'direct.to': 'Till',
  'direct.find': 'Sök personer',
  'direct.start': 'Starta konversation',
  'direct.unreachable': 'Du kan inte skriva till en av de här personerna.',
  'direct.addHelp':
    'En ny konversation med {{names}} börjar. Den här förblir som den är, och de du lägger till kan inte läsa den.',
} satisfies Record<keyof typeof en, string>
