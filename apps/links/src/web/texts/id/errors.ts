import type en from '../en/errors.ts'

export default {
  'error.slugTaken': 'Slug ini sudah dipakai.',
  'error.guestSlugsMany': 'Anda dapat menambahkan paling banyak 50 slug ke tautan milik orang lain.',
  'error.slugsMany':
    'Satu tautan dapat memiliki 5.000 slug. Hapus yang tidak dipakai, atau buat tautan lain.',
  'error.urlInvalid': 'Ini bukan URL http atau https yang valid.',
  'error.slugEmpty': 'Ketik slug-nya.',
  'error.slugSymbols':
    'Slug diawali dan diakhiri huruf a sampai z atau angka; di tengah boleh juga . _ ~ dan -',
  'error.slugLong': 'Slug paling panjang 128 karakter.',
  'error.slugReserved': 'Slug ini dipakai oleh layanan sendiri. Pilih yang lain.',
  'error.labelLong': 'Label paling panjang 500 karakter.',
  'error.searchLong': 'Pencarian paling panjang 256 karakter.',
  'error.expiry': 'Tautan tidak dapat berakhir pada waktu itu. Pilih waktu lain.',
  'error.characters': 'Ada karakter yang tidak dapat disimpan. Ketik ulang teksnya.',
  'error.linkGone': 'Tautan ini sudah tidak ada; seseorang telah menghapusnya.',
  'error.slugGone': 'Slug ini sudah tidak ada; seseorang telah menghapusnya.',
  'error.bundleGone': 'Kumpulan ini sudah tidak ada; seseorang telah menghapusnya.',
  'error.gone': 'Ini sudah tidak ada. Muat ulang halaman.',
  'error.notAdmin': 'Hanya administrator instans ini yang dapat mengubahnya.',
  'error.linkChanged':
    'Tautan ini sudah diubah sementara itu. Muat ulang halaman untuk melihat keadaannya sekarang.',
  'error.behaviourLong':
    'Aturan dan alamatnya terlalu panjang secara keseluruhan. Hapus beberapa atau pendekkan alamatnya.',
  'error.behaviourRing': 'Pengunjung akan kembali ke tautan ini. Pilih tujuan lain.',
  'error.behaviourChain':
    'Pengunjung akan melewati lebih dari lima tautan pendek di instans ini. Pilih tujuan lain.',
  'error.variantGone': 'Pembagian ini sudah berubah. Muat ulang halaman.',
  'error.noPassword': 'Tautan ini belum punya kata sandi. Masukkan kata sandi.',
  'error.notOwner': 'Hanya pemilik tautan ini yang dapat melakukannya.',
  'error.notBundleOwner': 'Hanya pemilik kumpulan ini yang dapat melakukannya.',
  'error.forbidden':
    'Anda tidak boleh melakukan ini di sini. Muat ulang halaman, atau tanyakan kepada pengelola layanan.',
  'error.slugHasClicks': 'Slug tidak dihapus: slug ini memiliki klik.',
  'error.disabledPrimary': 'Slug yang nonaktif tidak dapat menjadi slug utama. Aktifkan dahulu.',
  'error.automaticDisable': 'Slug otomatis tidak dapat dinonaktifkan. Nonaktifkan seluruh tautannya saja.',
  'error.automaticRemove': 'Slug otomatis tidak dapat dihapus. Hapus seluruh tautannya saja.',
  'error.qrLevel': 'Alamat sepanjang ini tidak muat pada tingkat itu. Pilih yang lebih rendah.',
  'error.listMoved': 'Daftarnya sudah berubah. Muat ulang halaman.',
  'error.tooLarge': 'Ini terlalu banyak untuk dikirim sekaligus. Perpendek, atau bagi berkasnya.',
  'error.tooMany': 'Terlalu banyak permintaan sekaligus. Tunggu sebentar, lalu coba lagi.',
  'error.refused': 'Layanan tidak menerima ini. Periksa isian Anda atau alamat halamannya.',
  'error.internal': 'Terjadi kesalahan di layanan. Coba lagi; jika terus terjadi, beri tahu pengelolanya.',
  'error.storage': 'Basis data tidak dapat dipakai saat ini; tidak ada yang diubah. Coba lagi nanti.',
  'error.deletionStopped':
    'Basis data tidak dapat dipakai lagi; sebagian klik sudah dihapus. Coba lagi nanti untuk menghapus sisanya.',
  'error.unavailable': 'Layanan tidak dapat melakukan ini saat ini. Coba lagi nanti.',
} satisfies Record<keyof typeof en, string>
