export default {
  'groups.title': 'Groups',
  'groups.help':
    'People in these groups of your identity provider become members when they next sign in. Only moderators see the list.',
  'groups.off': 'This instance doesn’t read groups. Its operator can turn that on (ROOMS_GROUPS_CLAIM).',
  'groups.name': 'Group {{number}}',
  'groups.nameHint': 'Name at the identity provider',
  'groups.role': 'Role of group {{number}}',
  'groups.add': 'Add group',
  'groups.remove': 'Remove group {{number}}',
  'groups.save': 'Save groups',
  'groups.saved': 'Groups saved',
  'groups.from': 'From group {{group}}',
}
