import type en from '../en/directs.ts'

export default {
  'direct.to': 'Kepada',
  'direct.find': 'Cari orang',
  'direct.start': 'Mulai percakapan',
  'direct.unreachable': 'Anda tidak dapat menulis kepada salah satu dari mereka.',
  'direct.addHelp':
    'Percakapan baru dengan {{names}} dimulai. Percakapan ini tetap seperti semula, dan orang yang Anda tambahkan tidak dapat membacanya.',
} satisfies Record<keyof typeof en, string>
