export default {
  'groups.title': 'Grup',
  'groups.help':
    'Orang dalam grup ini di penyedia identitas menjadi anggota saat mereka masuk berikutnya. Hanya moderator yang melihat daftar ini.',
  'groups.off': 'Instans ini tidak membaca grup. Operatornya dapat mengaktifkannya (ROOMS_GROUPS_CLAIM).',
  'groups.name': 'Grup {{number}}',
  'groups.nameHint': 'Nama di penyedia identitas',
  'groups.role': 'Peran grup {{number}}',
  'groups.add': 'Tambah grup',
  'groups.remove': 'Hapus grup {{number}}',
  'groups.save': 'Simpan grup',
  'groups.saved': 'Grup disimpan',
  'groups.from': 'Dari grup {{group}}',
}
