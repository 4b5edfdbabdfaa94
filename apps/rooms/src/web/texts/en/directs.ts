export default {
  'direct.to': 'To',
  'direct.find': 'Find people',
  'direct.start': 'Start conversation',
  'direct.addHelp':
    'A new conversation with {{names}} begins. This one stays as it is, and the people you add can’t read it.',
}
