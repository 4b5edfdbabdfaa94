import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/call.ts'

/** Texts of calls, loaded with them. */
export const callTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/call.ts`)

export type CallKey = TextKey<typeof en>
