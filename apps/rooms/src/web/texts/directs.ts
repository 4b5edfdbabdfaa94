import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/directs.ts'

/** Texts of the dialogs of direct conversations, loaded with them. */
export const directTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/directs.ts`)

export type DirectKey = TextKey<typeof en>
