import type en from '../en/errors.ts'

export default {
  'error.slugTaken': 'Slug ini sudah dipakai.',
  'error.guestSlugsMany': 'Anda dapat menambahkan paling banyak 50 slug ke tautan milik orang lain.',
  'error.slugsMany':
    'Satu tautan dapat memiliki paling banyak 5.000 slug. Hapus yang tidak dipakai, atau buat tautan lain.',
  'error.urlInvalid': 'Masukkan URL http atau https yang valid.',
  'error.slugEmpty': 'Masukkan slug.',
  'error.slugSymbols': 'Gunakan huruf a sampai z dan angka. Di tengah boleh juga . _ ~ dan -',
  'error.slugLong': 'Slug paling panjang 128 karakter.',
  'error.slugReserved': 'Slug ini sudah dicadangkan. Pilih yang lain.',
  'error.labelLong': 'Label paling panjang 500 karakter.',
  'error.searchLong': 'Pencarian paling panjang 256 karakter.',
  'error.expiry': 'Pilih waktu berakhir yang lain.',
  'error.characters': 'Ada karakter yang tidak dapat disimpan. Ketik ulang teksnya.',
  'error.linkGone': 'Tautan ini sudah dihapus.',
  'error.slugGone': 'Slug ini sudah dihapus.',
  'error.bundleGone': 'Kumpulan ini sudah dihapus.',
  'error.gone': 'Tidak ditemukan. Muat ulang halaman.',
  'error.notAdmin': 'Hanya administrator instans ini yang dapat mengubahnya.',
  'error.linkChanged': 'Tautan ini diubah sementara itu. Muat ulang halaman.',
  'error.domainGone': 'Domain pendek ini tidak lagi diatur di sini.',
  'error.domainChanged': 'Domain ini diubah sementara itu. Muat ulang halaman.',
  'error.alsoOfUnknown': 'Pilih domain lain dari instans ini.',
  'error.wellKnownLong': 'Ukuran semua berkas lebih dari 128 KB.',
  'error.behaviourLong':
    'Aturan dan URL-nya terlalu panjang secara keseluruhan. Hapus beberapa, atau perpendek URL-nya.',
  'error.linkRing': 'Ini akan mengarahkan pengunjung kembali ke tautan ini. Pilih tujuan lain.',
  'error.linkChain':
    'Ini akan mengarahkan pengunjung melalui lebih dari lima tautan pendek. Pilih tujuan lain.',
  'error.variantGone': 'Pembagian ini sudah berubah. Muat ulang halaman.',
  'error.noPassword': 'Tautan ini belum punya kata sandi. Masukkan kata sandi.',
  'error.notOwner': 'Hanya pemilik tautan ini yang dapat melakukannya.',
  'error.notBundleOwner': 'Hanya pemilik kumpulan ini yang dapat melakukannya.',
  'error.forbidden':
    'Anda tidak memiliki izin untuk melakukan ini. Muat ulang halaman, atau hubungi administrator Anda.',
  'error.slugHasClicks': 'Slug ini tidak dihapus karena memiliki klik.',
  'error.disabledPrimary': 'Slug yang nonaktif tidak dapat dijadikan utama. Aktifkan dulu.',
  'error.automaticDisable':
    'Anda tidak dapat menonaktifkan slug otomatis. Nonaktifkan seluruh tautannya saja.',
  'error.automaticRemove': 'Anda tidak dapat menghapus slug otomatis. Hapus seluruh tautannya saja.',
  'error.qrLevel':
    'URL ini terlalu panjang untuk tingkat koreksi kesalahan tersebut. Pilih yang lebih rendah.',
  'error.listMoved': 'Daftarnya sudah berubah. Muat ulang halaman.',
  'error.tooLarge': 'Ini terlalu besar. Perpendek, atau bagi berkasnya.',
  'error.tooMany': 'Terlalu banyak permintaan. Tunggu sebentar, lalu coba lagi.',
  'error.refused': 'Ada isian yang tidak valid. Periksa, lalu coba lagi.',
  'error.internal': 'Terjadi kesalahan. Coba lagi, dan hubungi administrator Anda jika terus terjadi.',
  'error.storage': 'Basis data tidak tersedia. Tidak ada yang diubah. Coba lagi nanti.',
  'error.deletionStopped':
    'Basis data tidak tersedia sebelum semua klik dihapus. Coba lagi nanti untuk menghapus sisanya.',
  'error.unavailable': 'Sementara tidak tersedia. Coba lagi nanti.',
} satisfies Record<keyof typeof en, string>
