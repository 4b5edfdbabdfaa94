export default {
  'shortcuts.everywhere': 'Everywhere',
  'shortcuts.write': 'Writing',
  'shortcuts.newLine': 'New line',
  'shortcuts.editLast': 'Edit your last message',
  'shortcuts.people': 'Mention a person',
  'shortcuts.rooms': 'Mention a room',
  'shortcuts.otherMessage': 'Another message',
  'shortcuts.firstLast': 'First or last message',
  'shortcuts.toolbar': 'Actions of the message',
  'shortcuts.cancel': 'Cancel or close',
  'shortcuts.images': 'Other images',
}
