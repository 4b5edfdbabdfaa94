export default {
  'direct.to': 'To',
  'direct.find': 'Find people',
  'direct.start': 'Start conversation',
  'direct.unreachable': 'You can’t write to one of these people.',
  'direct.addHelp':
    'A new conversation with {{names}} begins. This one stays as it is, and the people you add can’t read it.',
}
