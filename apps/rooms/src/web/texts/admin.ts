import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/admin.ts'

/** Texts of the administration page, loaded with it. */
export const adminTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/admin.ts`)

export type AdminKey = TextKey<typeof en>
