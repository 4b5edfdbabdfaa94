export default {
  'shortcuts.everywhere': 'Överallt',
  'shortcuts.write': 'Skriva',
  'shortcuts.newLine': 'Ny rad',
  'shortcuts.editLast': 'Redigera ditt senaste meddelande',
  'shortcuts.people': 'Nämn en person',
  'shortcuts.rooms': 'Nämn ett rum',
  'shortcuts.otherMessage': 'Ett annat meddelande',
  'shortcuts.firstLast': 'Första eller sista meddelandet',
  'shortcuts.toolbar': 'Åtgärder för meddelandet',
  'shortcuts.cancel': 'Avbryt eller stäng',
  'shortcuts.images': 'Andra bilder',
}
