import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/qr.ts'

/** Texts of the QR studio, loaded with it. */
export const qrTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/qr.ts`)

export type QrKey = TextKey<typeof en>
