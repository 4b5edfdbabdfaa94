import type en from '../en/share.ts'

export default {
  'share.share': 'Bagikan',
  'share.title': 'Bagikan statistik',
  'share.help.link':
    'Siapa pun yang memiliki URL ini dapat melihat statistik tautan tanpa masuk. Pemiliknya tidak ditampilkan, dan klik bot tidak dihitung.',
  'share.help.bundle':
    'Siapa pun yang memiliki URL ini dapat melihat statistik kumpulan tanpa masuk. Pemiliknya tidak ditampilkan, dan klik bot tidak dihitung.',
  'share.create': 'Buat URL publik',
  'share.replace': 'Ganti URL publik',
  'share.revoke': 'Berhenti berbagi',
  'share.address': 'URL publik',
  'share.once': 'URL ini hanya ditampilkan sekarang. Jika hilang, ganti dengan yang baru.',
  'share.since': 'Dibagikan sejak {{day}}. URL-nya tidak dapat ditampilkan lagi, tetapi dapat diganti.',
} satisfies Record<keyof typeof en, string>
