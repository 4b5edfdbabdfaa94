import type en from '../en/share.ts'

export default {
  'share.share': 'Bagikan',
  'share.title': 'Bagikan statistik',
  'share.help.link':
    'Siapa pun yang memiliki alamatnya dapat melihat statistik tautan ini tanpa masuk. Mereka tidak melihat pemiliknya, dan klik bot tidak dihitung.',
  'share.help.bundle':
    'Siapa pun yang memiliki alamatnya dapat melihat statistik bundel ini tanpa masuk. Mereka tidak melihat pemiliknya, dan klik bot tidak dihitung.',
  'share.create': 'Buat alamat',
  'share.replace': 'Buat alamat baru',
  'share.revoke': 'Berhenti berbagi',
  'share.address': 'Alamat',
  'share.once': 'Alamat ini hanya ditampilkan sekarang. Alamat baru menggantikannya.',
  'share.since': 'Dibagikan sejak {{day}}. Alamatnya tidak dapat ditampilkan lagi, tetapi dapat diganti.',
} satisfies Record<keyof typeof en, string>
