import type en from '../en/login.ts'

export default {
  'login.failed': 'Anda belum masuk',
  'login.ended': 'Anda telah keluar',
  'login.ended.expired': 'Sesi Anda kedaluwarsa. Masuk lagi untuk melanjutkan.',
  'login.ended.signed_out': 'Anda keluar, di sini atau di peramban lain.',
  'login.ended.revoked': 'Sesi diakhiri oleh Anda, administrator, atau proses masuk yang baru. Masuk lagi.',
  'login.ended.idp_logout': 'Anda keluar di penyedia identitas.',
  'login.ended.disabled': 'Akun Anda dinonaktifkan. Hubungi administrator Anda.',
  'login.ended.deleted': 'Akun Anda dan semua data Anda sudah dihapus.',
  'login.otherAccount': 'Pakai akun lain',
  'login.youAreGuest': 'Anda di sini sebagai tamu {{name}}',
  'login.youAreGuestHelp': 'Masuk akan mengakhiri sesi tamu; akun tamu Anda tetap terpisah.',
  'login.stayGuest': 'Lanjutkan sebagai tamu',
  'login.goOn': 'Lanjutkan sebagai {{name}}',
  'loginError.cancelled': 'Proses masuk dibatalkan.',
  'loginError.interaction_required':
    'Penyedia identitas memerlukan sesuatu dari Anda. Masuk lagi untuk melanjutkan.',
  'loginError.state_invalid': 'Proses masuk ini kedaluwarsa atau dimulai di peramban lain. Mulai lagi.',
  'loginError.provider_error': 'Penyedia identitas menolak proses masuk. Coba lagi.',
  'loginError.provider_unavailable': 'Penyedia identitas tidak menjawab. Coba lagi nanti.',
  'loginError.provider_misconfigured': 'Proses masuk tidak diatur dengan benar. Hubungi administrator Anda.',
  'loginError.token_invalid': 'Jawaban penyedia identitas tidak dapat diverifikasi. Coba lagi.',
  'loginError.identity_incomplete':
    'Penyedia identitas tidak membagikan cukup data tentang Anda, misalnya nama. Hubungi administrator Anda.',
  'loginError.account_disabled': 'Akun Anda dinonaktifkan. Hubungi administrator Anda.',
  'loginError.access_not_granted':
    'Akun Anda tidak diizinkan memakai layanan ini. Masuk dengan akun lain atau hubungi administrator Anda.',
  'loginError.too_many_attempts': 'Terlalu banyak percobaan masuk. Tunggu satu menit, lalu coba lagi.',
  'loginError.internal': 'Ada yang salah di pihak kami. Coba lagi.',
  'loginError.unknown': 'Gagal masuk. Coba lagi.',
} satisfies Record<keyof typeof en, string>
