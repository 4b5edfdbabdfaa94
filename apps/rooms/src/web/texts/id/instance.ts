import type en from '../en/instance.ts'

export default {
  'admin.productName': 'Nama layanan ini',
  'admin.productNameHelp': 'Tampil di setiap halaman setelah dimuat ulang. Kosongkan untuk nama biasa.',
  'admin.supportUrl': 'Tautan bantuan dan dukungan',
  'admin.supportUrlHelp': 'Tampil di bagian bawah setiap halaman. Kosongkan bila tidak ada.',
  'admin.supportUrlBad': 'Masukkan alamat lengkap yang dimulai dengan https://.',
  'admin.announcement': 'Pengumuman',
  'admin.announcementHelp':
    'Tampil bagi semua orang di bagian atas setiap halaman, juga sebelum masuk. Kosongkan bila tidak ada.',
  'admin.save': 'Simpan',
  'admin.saved': 'Pengaturan disimpan',
  'admin.limits': 'Batas yang berlaku',
  'admin.limitsHelp': 'Pengelola layanan mengubahnya dengan ROOMS_LIMITS, memakai nama-nama ini.',
  'admin.register': 'Untuk didaftarkan pada penyedia',
  'admin.registerHelp': 'Persis seperti ini, huruf demi huruf.',
  'admin.redirectUri': 'URL panggilan balik (redirect URI)',
  'admin.postLogoutUri': 'URL setelah keluar (post-logout redirect URI)',
  'admin.backchannelUri': 'URL keluar lewat latar belakang (back-channel logout)',
  'admin.backchannelOff': 'Keluar lewat latar belakang tidak aktif.',
  'admin.label': 'Nama pada tombol',
  'admin.mode': 'Jenis',
  'admin.issuer': 'Penerbit',
  'admin.discovery': 'Metadata penyedia',
  'admin.discoveryOk': 'Terbaca tanpa kesalahan',
  'admin.discoveryBad': 'Metadata penyedia tidak dapat dipakai',
  'admin.discoveryNever': 'Belum pernah dibaca.',
  'admin.discoveryWhy.provider_unavailable':
    'Penyedia tidak menjawab, atau menjawab dengan sesuatu yang bukan metadatanya. Selama itu tidak ada yang dapat masuk.',
  'admin.discoveryWhy.provider_misconfigured':
    'Penyedia menjawab, tetapi keterangannya tentang dirinya tidak cocok dengan pengaturan layanan ini, atau tidak boleh dipakai. Selama itu tidak ada yang dapat masuk.',
  'admin.discoveryWhy.unknown':
    'Jawaban penyedia tidak dapat dipakai. Selama itu tidak ada yang dapat masuk.',
  'admin.discoveryDetail': 'Rincian teknis',
  'admin.pkce': 'PKCE',
  'admin.tokenAuth': 'Cara alamat token mengetahui siapa yang meminta',
  'admin.idTokenAlg': 'Tanda tangan token ID',
  'admin.lastLogoutToken': 'Token keluar terakhir',
  'admin.logoutToken.none': 'Belum ada yang datang',
  'admin.logoutToken.accepted': 'Diterima',
  'admin.logoutToken.rejected': 'Ditolak',
  'admin.endpoints': 'Alamat penyedia',
  'admin.unreachable_one': '{{count}} akun tidak dapat dijangkau',
  'admin.unreachable_other': '{{count}} akun tidak dapat dijangkau',
  'admin.unreachableHelp':
    'Akun itu milik penyedia terdahulu, dan tidak ada yang bisa memasukinya dengan penyedia sekarang. Ruangnya dapat diambil alih.',
  'admin.inheritable_one': '{{count}} akun mungkin dapat dimasuki orang lain',
  'admin.inheritable_other': '{{count}} akun mungkin dapat dimasuki orang lain',
  'admin.inheritableHelp':
    'Akun itu lebih lama daripada perubahan terakhir alamat user-info atau jalur ke subjek. Siapa pun yang kini memiliki subjek yang sama di sana dapat memasukinya.',
} satisfies Record<keyof typeof en, string>
