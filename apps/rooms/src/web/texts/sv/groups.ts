export default {
  'groups.title': 'Grupper',
  'groups.help':
    'Personer i dessa grupper hos identitetstjänsten blir medlemmar nästa gång de loggar in. Bara moderatorer ser listan.',
  'groups.off':
    'Den här installationen läser inga grupper. Driftansvarig kan slå på det (ROOMS_GROUPS_CLAIM).',
  'groups.name': 'Grupp {{number}}',
  'groups.nameHint': 'Namn hos identitetstjänsten',
  'groups.role': 'Roll för grupp {{number}}',
  'groups.add': 'Lägg till grupp',
  'groups.remove': 'Ta bort grupp {{number}}',
  'groups.save': 'Spara grupper',
  'groups.saved': 'Grupperna sparades',
  'groups.from': 'Från gruppen {{group}}',
}
