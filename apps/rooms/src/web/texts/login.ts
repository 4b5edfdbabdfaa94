import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/login.ts'

/** Texts of the sign-in page, loaded with it. */
export const loginTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/login.ts`)

export type LoginKey = TextKey<typeof en>
