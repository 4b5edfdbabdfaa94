import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/account.ts'

/** Texts of the account page, loaded with it. */
export const accountTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/account.ts`)

export type AccountKey = TextKey<typeof en>
