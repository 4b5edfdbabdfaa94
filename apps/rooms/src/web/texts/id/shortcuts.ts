export default {
  'shortcuts.everywhere': 'Di mana saja',
  'shortcuts.write': 'Menulis',
  'shortcuts.newLine': 'Baris baru',
  'shortcuts.editLast': 'Edit pesan terakhir Anda',
  'shortcuts.people': 'Sebut seseorang',
  'shortcuts.rooms': 'Sebut ruang',
  'shortcuts.otherMessage': 'Pesan lain',
  'shortcuts.firstLast': 'Pesan pertama atau terakhir',
  'shortcuts.toolbar': 'Tindakan pesan',
  'shortcuts.cancel': 'Batal atau tutup',
  'shortcuts.images': 'Gambar lain',
}
